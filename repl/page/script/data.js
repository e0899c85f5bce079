/** What the page was given, what of it is selected, and how amounts are written. */

/** @type {import("../data.ts").PageData} */
export const data = JSON.parse(document.getElementById("data").textContent);
export const { strings, functions, frames, stacks, moment } = data;

/** Times come as differences, in microseconds; a weight of 1 and a state of 0 are left out.
 *
 * @param {import("../data.ts").PageThread} thread
 */
function unpacked(thread) {
  const { stack, time: deltas, weight, state } = thread.samples;
  const length = stack.length;
  const time = new Float64Array(length);
  let now = 0;
  deltas.forEach((delta, row) => time[row] = (now += delta) / 1000);
  const samples = {
    length,
    time,
    stack: Int32Array.from(stack),
    weight: weight === undefined ? new Float64Array(length).fill(1) : Float64Array.from(weight),
    state: state === undefined ? new Uint8Array(length) : Uint8Array.from(state),
  };
  return { ...thread, samples };
}
export const threads = data.threads.map(unpacked);
/** The threads of the timeline: of a moment, those that were looked at before it. */
export const lanes = data.timeline?.map(unpacked) ?? threads;
/** When it ends, in milliseconds. */
export const end = lanes.reduce(
  (last, { samples: { time, length } }) =>
    length > 0 ? Math.max(last, time[length - 1] + data.interval) : last,
  data.interval || 1,
);

/** What is selected. */
export const state = {
  tab: moment ? "parallel" : "flame",
  /** -1 for all. */
  thread: -1,
  from: -Infinity,
  to: Infinity,
  query: "",
  /** Of the moment that parallel stacks show. */
  at: end / 2,
  own: false,
};

export const nameOf = (of) => strings[functions.name[of]];
export const imageOf = (of) => functions.image[of] < 0 ? "" : strings[functions.image[of]];
export const isSystem = (of) => functions.system[of] === 1;
export function placeOf(frame, whole = false) {
  if (frame === undefined || frames.file[frame] < 0) return "";
  const file = strings[frames.file[frame]];
  const line = frames.line[frame];
  return (whole ? file : file.slice(file.lastIndexOf("/") + 1)) + (line > 0 ? `:${line}` : "");
}
export const selected = () => state.thread < 0 ? threads : [threads[state.thread]];

export const numbers = new Intl.NumberFormat("en");
export function amount(weight) {
  switch (data.unit) {
    case "samples":
      return numbers.format(weight);
    case "bytes":
      return weight < 1e6 ? `${numbers.format(weight)} B` : `${(weight / 1e6).toFixed(1)} MB`;
    default: {
      const ms = weight * { nanoseconds: 1e-6, microseconds: 1e-3, milliseconds: 1 }[data.unit];
      return ms < 1000 ? `${ms.toFixed(ms < 10 ? 2 : 1)} ms` : `${(ms / 1000).toFixed(2)} s`;
    }
  }
}
export const share = (part, whole) => whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "0.0 %";
export const clock = (ms) => end < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(3)} s`;

export const amountOf = (count) => `${count} ${count === 1 ? data.words.one : data.words.many}`;
export const Words = data.words.many[0].toUpperCase() + data.words.many.slice(1);
