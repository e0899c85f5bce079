/** The states of threads over time. */
import {
  clock,
  data,
  end,
  frames,
  isSystem,
  lanes,
  moment,
  nameOf,
  placeOf,
  stacks,
  state,
} from "./data.js";
import { aside, canvasIn, colour, facts, hideTip, make, say, showTip } from "./dom.js";
import { addView, choose, setRange } from "./views.js";

if (data.timed || data.timeline !== undefined) {
  addView("timeline", "Timeline", (element) => {
    const LINE = 26;
    const AXIS = 26;
    const LABEL = 190;
    const sheet = canvasIn(
      element,
      "Threads over time." + (moment ? "" : " Drag to choose a time."),
    );
    const cursor = make("div", { class: "cursor", hidden: true });
    const span = make("div", { class: "span", hidden: true });
    element.append(
      cursor,
      span,
      make(
        "div",
        { class: "legend" },
        ...["running", "waiting", "unknown"].map((name) =>
          make("span", { class: `state ${name}` }, name === "unknown" ? "not known" : name)
        ),
      ),
    );
    element.lastChild.style.position = "absolute";
    element.lastChild.style.width = "100%";
    const room = () => Math.max(10, sheet.scroller.clientWidth - LABEL - 12);
    const xOf = (time) => LABEL + room() * time / end;
    const timeOf = (x) => Math.max(0, Math.min(end, (x - LABEL) / room() * end));

    function draw() {
      const { width, height, top } = sheet.begin(AXIS + lanes.length * LINE + 44);
      const { context } = sheet;
      context.font = "12px system-ui, sans-serif";
      context.textBaseline = "middle";
      if (lanes.length === 0) {
        context.fillStyle = colour("muted");
        context.fillText("No samples here.", 16, 32);
        return;
      }
      const step = niceStep(end / (room() / 110));
      context.fillStyle = colour("line");
      for (let time = 0; time <= end; time += step) {
        context.fillRect(Math.round(xOf(time)), AXIS - 5, 1, height);
      }
      const fills = [colour("unknown"), colour("running"), colour("waiting")];
      for (const [index, thread] of lanes.entries()) {
        const y = AXIS + index * LINE - top;
        if (y + LINE < AXIS || y > height) continue;
        if (!moment && index === state.thread) {
          context.fillStyle = colour("select");
          context.fillRect(0, y, width, LINE);
        }
        if (index === current && document.activeElement === sheet.canvas) {
          context.fillStyle = colour("accent");
          context.fillRect(2, y + 3, 3, LINE - 6);
        }
        context.fillStyle = colour("text");
        context.save();
        context.beginPath();
        context.rect(0, y, LABEL - 10, LINE);
        context.clip();
        context.fillText(thread.name, 16, y + LINE / 2);
        context.restore();
        const { time, state: states, stack, weight, length } = thread.samples;
        // A recorded wait is two samples: when it began, and when it was last seen, with the weight of all
        // but the first.
        const endsWait = (row) =>
          row > 0 && row < length && states[row] === 2 && states[row - 1] === 2 &&
          stack[row] === stack[row - 1] &&
          time[row] - time[row - 1] <= 2 * (weight[row] + 1) * data.interval;
        // Samples of one state that follow each other are one bar, on whole pixels.
        let [begun, last, kind] = [-1, -1, -1];
        const bar = () => {
          if (kind < 0) return;
          const part = [12, 18, 8][kind];
          const left = Math.floor(begun);
          context.fillStyle = fills[kind];
          context.fillRect(
            left,
            y + (LINE - part) / 2,
            Math.max(1, Math.round(last) - left),
            part,
          );
        };
        for (let row = 0; row < length; row++) {
          if (stack[row] < 0 && states[row] === 0) continue;
          const left = xOf(time[row]);
          const next = row + 1 < length ? time[row + 1] : time[row] + data.interval;
          if (states[row] !== kind || left > last + 0.5) {
            bar();
            begun = left;
            kind = states[row];
          }
          // A gap longer than a few samples is one in which there were none.
          last = xOf(endsWait(row + 1) ? next : Math.min(next, time[row] + data.interval * 4));
        }
        bar();
      }
      context.fillStyle = colour("back");
      context.fillRect(0, 0, width, AXIS);
      context.fillStyle = colour("muted");
      for (let time = 0; time <= end; time += step) {
        const [text, left] = [clock(time), Math.round(xOf(time)) + 4];
        if (left + context.measureText(text).width < width) context.fillText(text, left, 13);
      }
      span.hidden = state.from === -Infinity;
      if (!span.hidden) mark(state.from, state.to);
    }
    function niceStep(least) {
      const power = 10 ** Math.floor(Math.log10(least));
      return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
    }
    function mark(from, to) {
      const left = xOf(Math.max(0, from));
      span.style.left = `${left}px`;
      span.style.width = `${xOf(Math.min(end, to)) - left}px`;
      span.style.height = `${sheet.scroller.clientHeight}px`;
      span.hidden = false;
    }
    const rowAt = (event) => {
      const y = event.clientY - sheet.canvas.getBoundingClientRect().top;
      return y < AXIS ? -1 : Math.floor((y - AXIS + sheet.scroller.scrollTop) / LINE);
    };
    const timeAt = (event) => timeOf(event.clientX - sheet.canvas.getBoundingClientRect().left);
    /** The row of a thread's sample at a time; -1 before the first. */
    function sampleAt({ samples: { time, length } }, at) {
      let [low, high] = [0, length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (time[middle] <= at) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    }
    function look(index, at) {
      const thread = lanes[index];
      const row = thread === undefined ? -1 : sampleAt(thread, at);
      const stack = row < 0 ? -1 : thread.samples.stack[row];
      if (stack < 0) return;
      const list = [];
      for (let of = stack; of >= 0; of = stacks.prefix[of]) list.push(stacks.frame[of]);
      aside.replaceChildren(
        make("h2", {}, thread.name),
        facts([["Time", clock(thread.samples.time[row])], [
          "State",
          ["", "running", "waiting"][thread.samples.state[row]],
        ]]),
        make("h3", {}, "Stack"),
        make(
          "ol",
          { class: "notes mono" },
          ...list.map((frame) =>
            make(
              "li",
              { class: isSystem(frames.function[frame]) ? "muted" : "" },
              nameOf(frames.function[frame]),
              make("span", { class: "muted" }, ` ${placeOf(frame)}`),
            )
          ),
        ),
      );
      say(`${thread.name}, ${nameOf(frames.function[list[0]])}`);
    }
    let began = null;
    sheet.canvas.addEventListener("pointerdown", (event) => {
      began = { time: timeAt(event), x: event.clientX };
      sheet.canvas.setPointerCapture(event.pointerId);
    });
    sheet.canvas.addEventListener("pointermove", (event) => {
      const box = sheet.canvas.getBoundingClientRect();
      const x = event.clientX - box.left;
      cursor.hidden = x < LABEL;
      cursor.style.left = `${x}px`;
      cursor.style.height = `${sheet.scroller.clientHeight}px`;
      if (began !== null && !moment && Math.abs(event.clientX - began.x) > 4) {
        const now = timeAt(event);
        mark(Math.min(began.time, now), Math.max(began.time, now));
      }
      const thread = lanes[rowAt(event)];
      const row = thread === undefined || x < LABEL ? -1 : sampleAt(thread, timeAt(event));
      const stack = row < 0 ? -1 : thread.samples.stack[row];
      if (stack < 0) hideTip();
      else {showTip(
          event,
          nameOf(frames.function[stacks.frame[stack]]),
          thread.name,
          clock(timeAt(event)),
        );}
    });
    sheet.canvas.addEventListener("pointerleave", () => {
      cursor.hidden = true;
      hideTip();
    });
    sheet.canvas.addEventListener("pointerup", (event) => {
      if (began === null) return;
      const now = timeAt(event);
      const isDrag = !moment && Math.abs(event.clientX - began.x) > 4;
      const from = Math.min(began.time, now);
      const to = Math.max(began.time, now);
      began = null;
      if (isDrag) setRange(from, to);
      else {
        state.at = now;
        current = rowAt(event);
        look(current, now);
      }
    });
    function moveTo(time) {
      state.at = time;
      cursor.hidden = false;
      cursor.style.left = `${xOf(time)}px`;
      cursor.style.height = `${sheet.scroller.clientHeight}px`;
    }
    /** The thread that the keys are at, and where a choice of a time by Shift and an arrow began. */
    let current = 0;
    let anchor = null;
    sheet.canvas.addEventListener("keydown", (event) => {
      if (event.key === "Shift") return;
      if (lanes[current] === undefined) current = 0;
      const thread = lanes[current];
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to = {
        ArrowDown: current + 1,
        ArrowUp: current - 1,
        Home: 0,
        End: lanes.length - 1,
      }[event.key];
      if (thread === undefined || step === undefined && to === undefined && event.key !== "Enter") {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Enter") {
        if (!moment) choose(current === state.thread ? -1 : current);
        return;
      }
      if (to !== undefined) {
        current = Math.max(0, Math.min(lanes.length - 1, to));
        const { scroller } = sheet;
        const top = current * LINE;
        const seen = scroller.clientHeight - AXIS - LINE - 44;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        else if (top > scroller.scrollTop + seen) scroller.scrollTop = top - seen;
      } else if (event.shiftKey && !moment) {
        // By steps that are seen, however many samples they have.
        anchor ??= state.at;
        moveTo(Math.max(0, Math.min(end, state.at + step * end * 8 / room())));
        setRange(Math.min(anchor, state.at), Math.max(anchor, state.at));
      } else {
        const { time, length } = thread.samples;
        anchor = null;
        moveTo(time[Math.max(0, Math.min(length - 1, sampleAt(thread, state.at) + step))] ?? 0);
      }
      draw();
      look(current, state.at);
    });
    for (const kind of ["focus", "blur"]) sheet.canvas.addEventListener(kind, draw);
    sheet.scroller.addEventListener("scroll", draw);
    return { draw };
  });
}
