/** Parallel stacks: threads that share stacks as one tree. */
import {
  amountOf,
  clock,
  data,
  end,
  frames,
  isSystem,
  moment,
  nameOf,
  placeOf,
  stacks,
  state,
  threads,
  Words,
} from "./data.js";
import { clamped, make } from "./dom.js";
import { isMatch, matches } from "./sums.js";
import { addView, changed, describe, marked } from "./views.js";
import { chip } from "./threads.js";

addView("parallel", "Parallel stacks", (element) => {
  const bar = make("div", { class: "bar" });
  const own = make("input", {
    type: "checkbox",
    id: "own",
    onchange: () => {
      state.own = own.checked;
      changed();
    },
  });
  bar.append(make("label", {}, own, "Only the program’s own functions"));
  const when = make("span", {});
  const slider = make("input", {
    type: "range",
    min: "0",
    max: `${end}`,
    step: "any",
    "aria-label": "Time of the stacks",
    oninput: () => {
      state.at = Number(slider.value);
      changed();
    },
  });
  if (!moment && data.timed) bar.append(make("label", {}, "At", slider, when));
  const place = make("div", {});
  element.append(bar, place);

  /** Which of the functions is in the order of Tab; the arrows go to the others. */
  let at = 0;
  const buttons = () => [...place.querySelectorAll(".frame")];
  function moveTo(index) {
    const list = buttons();
    if (list.length === 0) return;
    list[Math.min(at, list.length - 1)].tabIndex = -1;
    at = Math.max(0, Math.min(list.length - 1, index));
    list[at].tabIndex = 0;
    return list[at];
  }
  place.addEventListener("focusin", ({ target }) => moveTo(buttons().indexOf(target)));
  place.addEventListener("keydown", (event) => {
    const list = buttons();
    const item = list[at]?.closest(".box").parentElement;
    const first = (of) => list.indexOf(of?.querySelector(".frame"));
    const to = {
      ArrowDown: () => at + 1,
      ArrowUp: () => at - 1,
      ArrowRight: () => first(item.querySelector("ul")),
      ArrowLeft: () => first(item.parentElement.closest("li")),
      PageDown: () => first(item.nextElementSibling),
      PageUp: () => first(item.previousElementSibling),
      Home: () => 0,
      End: () => list.length - 1,
    }[event.key]?.();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (to < 0) return;
    const button = moveTo(to);
    button.focus();
    if (!button.classList.contains("fold")) button.click();
  });

  /** A thread's stack at the moment that is shown; -1 for none. */
  function stackOf({ samples: { stack, time, length } }) {
    if (moment || !data.timed) return length > 0 ? stack[moment ? 0 : length - 1] : -1;
    let [low, high] = [0, length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (time[middle] <= state.at) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? -1 : stack[low - 1];
  }
  /** The functions of all threads as a tree, then runs of nodes with the same threads as one box. */
  function boxes() {
    const root = { kids: new Map(), frames: [], threads: [] };
    for (const [index, thread] of threads.entries()) {
      if (state.thread >= 0 && index !== state.thread) continue;
      const line = [];
      for (let at = stackOf(thread); at >= 0; at = stacks.prefix[at]) {
        const frame = stacks.frame[at];
        if (!state.own || !isSystem(frames.function[frame])) line.push(frame);
      }
      if (line.length === 0) continue;
      let node = root;
      node.threads.push(index);
      for (const [depth, frame] of line.reverse().entries()) {
        const of = frames.function[frame];
        let kid = node.kids.get(of);
        if (kid === undefined) {
          kid = { of, kids: new Map(), threads: [], frame, places: new Set(), depths: [] };
          node.kids.set(of, kid);
        }
        kid.threads.push(index);
        kid.places.add(placeOf(frame));
        kid.depths.push(line.length - 1 - depth);
        node = kid;
      }
    }
    return joined(root);
  }
  function joined(node) {
    return [...node.kids.values()].map((first) => {
      const run = [first];
      let last = first;
      while (last.kids.size === 1) {
        const [next] = last.kids.values();
        if (next.threads.length !== last.threads.length) break;
        run.push(next);
        last = next;
      }
      return { threads: first.threads, run, kids: joined(last) };
    }).sort((one, other) => rank(one) - rank(other));
  }
  /** The thread that crashed or hung first, then by number: the main thread is the first one. */
  const rank = ({ threads: of }) => of.some((index) => threads[index].mark !== "") ? -1 : of[0];
  const open = new Set();
  function boxOf({ threads: of, run, kids }) {
    const list = make("ol", { class: "frames" });
    const button = (node) => {
      const system = isSystem(node.of);
      const [place] = node.places;
      return make(
        "button",
        {
          class: `frame${system ? " system" : ""}${
            matches !== null && !isMatch(node.of) ? " dim" : ""
          }`,
          tabindex: "-1",
          title: nameOf(node.of),
          onclick: (event) => {
            for (const other of element.querySelectorAll("[aria-current]")) {
              other.removeAttribute("aria-current");
            }
            event.currentTarget.setAttribute("aria-current", "true");
            const single = node.threads.length === 1 ? threads[node.threads[0]] : undefined;
            describe(
              node.of,
              node.places.size === 1 ? node.frame : undefined,
              [[Words, node.threads.map((index) => threads[index].name).join(", ")]],
              state.own ? [] : single?.locals?.[node.depths[0]] ?? [],
            );
          },
        },
        make("span", { class: "name" }, ...marked(nameOf(node.of))),
        make("span", { class: "place" }, node.places.size > 1 ? "…" : place),
      );
    };
    // Runs of the system's functions, and recursion, are folded, unless they were searched for.
    const fold = (at, text) => {
      const key = `${of.join()}/${at}`;
      if (open.has(key)) return false;
      const unfold = () => {
        open.add(key);
        changed();
      };
      list.append(make(
        "li",
        {},
        make(
          "button",
          { class: "frame fold", tabindex: "-1", "aria-expanded": "false", onclick: unfold },
          text,
        ),
      ));
      return true;
    };
    for (let at = 0; at < run.length;) {
      let to = at;
      while (to < run.length && isSystem(run[to].of) && !isMatch(run[to].of)) to++;
      if (to - at > 2 && fold(at, `${to - at} functions of the system`)) {
        at = to;
        continue;
      }
      // Recursion, also through several functions.
      let [period, times] = [1, 1];
      for (let length = 1; length <= 4 && times < 4; length++) {
        let end = at + length;
        while (end < run.length && run[end].of === run[end - length].of) end++;
        times = Math.floor((end - at) / length);
        period = length;
      }
      if (times < 4) [period, times] = [1, 1];
      to = at + period;
      while (at < to) list.append(make("li", {}, button(run[at++])));
      const rest = at + period * (times - 1);
      if (times > 1 && fold(at, `⋮ again, ${times - 1} times`)) at = rest;
      else while (at < rest) list.append(make("li", {}, button(run[at++])));
    }
    const shown = of.slice(0, 3).map((index) => threads[index].name).join(", ");
    const isMarked = of.some((index) => threads[index].mark !== "");
    const single = of.length === 1 ? threads[of[0]] : null;
    const box = make(
      "div",
      { class: `box${isMarked ? " marked" : ""}` },
      make(
        "header",
        {},
        single === null ? amountOf(of.length) : clamped("span", single.name),
        single === null
          ? make(
            "span",
            { class: "names clamped" },
            shown + (of.length > 3 ? ` and ${of.length - 3} more` : ""),
          )
          : null,
        single === null ? null : chip(single),
      ),
      list,
    );
    return make(
      "li",
      {},
      box,
      kids.length === 0 ? null : make("ul", {}, ...kids.map(boxOf)),
    );
  }
  return {
    draw() {
      when.textContent = clock(state.at);
      slider.value = `${state.at}`;
      const found = boxes();
      const hadFocus = place.contains(document.activeElement);
      place.replaceChildren(
        found.length === 0
          ? make("div", { class: "empty" }, `No ${data.words.one} has a stack here.`)
          : make(
            "ul",
            { class: "tree", "aria-label": "Stacks" },
            ...found.map(boxOf),
          ),
      );
      const button = moveTo(at);
      if (hadFocus) button?.focus();
    },
  };
});
