/** All threads: of a moment with their stacks, of a profile with their weights. */
import {
  amount,
  data,
  frames,
  imageOf,
  isSystem,
  moment,
  nameOf,
  placeOf,
  share,
  stacks,
  state,
  threads,
  Words,
} from "./data.js";
import { clamped, make } from "./dom.js";
import { isMatch, matches } from "./sums.js";
import { addView, choose, localsOf, marked } from "./views.js";

export function chip(thread) {
  const { state: text, mark } = thread;
  if (mark !== "") return make("span", { class: "state marked" }, mark);
  if (text === "") return null;
  const kind = /^run/.test(text) ? " running" : /wait|stop|block|halt/.test(text) ? " waiting" : "";
  return make("span", { class: `state${kind}` }, text);
}

addView("threads", Words, (element) => ({
  draw() {
    element.replaceChildren(moment ? stackList() : weightList());
  },
}));

/** Every thread with its whole stack, innermost function first. */
export function stackList(all = false) {
  const sections = threads.map((thread, index) => {
    if (!all && state.thread >= 0 && index !== state.thread) return null;
    const rows = [];
    let found = matches === null || all;
    for (let at = thread.samples.stack[0] ?? -1, depth = 0; at >= 0; depth++) {
      const frame = stacks.frame[at];
      const of = frames.function[frame];
      at = stacks.prefix[at];
      found ||= isMatch(of);
      const locals = thread.locals?.[depth] ?? [];
      rows.push(make(
        "tr",
        { class: isSystem(of) ? "system" : "" },
        make("td", {}, `${depth}`),
        make(
          "td",
          {},
          clamped("div", nameOf(of), marked(nameOf(of))),
          locals.length === 0 ? null : localsOf(locals),
        ),
        make("td", {}, placeOf(frame)),
        make("td", {}, imageOf(of)),
      ));
    }
    if (!found) return null;
    return make(
      "section",
      { "aria-label": thread.name },
      make(
        "header",
        {},
        clamped("span", thread.name),
        chip(thread),
        make("span", { class: "names" }, thread.about),
      ),
      rows.length === 0
        ? make("div", { class: "bar" }, "No stack.")
        : make("table", { class: "stack" }, make("tbody", {}, ...rows)),
      thread.ended === "" ? null : make("div", { class: "bar" }, thread.ended),
    );
  }).filter((section) => section !== null);
  return make(
    "div",
    { class: "threads" },
    ...sections.length === 0
      ? [make("div", { class: "empty" }, `No ${data.words.one} has what is searched for.`)]
      : sections,
  );
}

/** The threads of a profile, the heaviest first; a click chooses one. */
function weightList() {
  const rows = threads.map((thread, index) => {
    const { samples: { time, weight, state: states, length } } = thread;
    let [total, running] = [0, 0];
    for (let row = 0; row < length; row++) {
      if (time[row] < state.from || time[row] >= state.to) continue;
      total += weight[row];
      if (states[row] === 1) running += weight[row];
    }
    return { thread, index, total, running };
  }).sort((one, other) => other.running - one.running || other.total - one.total);
  const most = rows.reduce((sum, { total }) => Math.max(sum, total), 0);
  const body = rows.map(({ thread, index, total, running }) => {
    const bar = make("span", { class: "load" }, make("span", {}));
    bar.style.width = `${most > 0 ? 100 * total / most : 0}%`;
    bar.firstChild.style.width = `${total > 0 ? 100 * running / total : 0}%`;
    return make(
      "tr",
      {},
      make(
        "td",
        {},
        make("button", {
          onclick: () => choose(index === state.thread ? -1 : index),
          "aria-pressed": `${index === state.thread}`,
        }, clamped("span", thread.name)),
      ),
      make("td", {}, thread.about),
      make("td", {}, amount(total)),
      make("td", {}, data.states ? share(running, total) : ""),
      make("td", {}, bar),
    );
  });
  const heads = ["Thread", "", data.words.weight];
  if (data.states) heads.push("Running", "");
  return make(
    "table",
    { class: "loads" },
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", {}, text)))),
    make("tbody", {}, ...body),
  );
}
