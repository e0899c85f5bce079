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

addView("threads", Words, (element) => {
  // What has nothing else to focus is scrolled by keys itself.
  element.tabIndex = 0;
  return {
    draw() {
      const at = [...element.querySelectorAll("button")].indexOf(document.activeElement);
      element.replaceChildren(moment ? stackList() : weightList());
      if (at >= 0) element.querySelectorAll("button")[at]?.focus();
    },
  };
});

/** So many threads have their stacks in the document from the beginning; of more, those that are near the window. */
const MOST_WHOLE = 100;
/** Height of a row, in pixels, before it is known. */
const STACK_ROW = 21.5;

/** Every thread with its whole stack, innermost function first.
 *
 * @param {boolean} all whether it is of all threads, and whole: on paper
 */
export function stackList(all = false) {
  const shown = threads.filter((thread, index) =>
    all ||
    (state.thread < 0 || index === state.thread) && (matches === null || hasMatch(thread))
  );
  const isWhole = all || shown.length <= MOST_WHOLE;
  const later = new Map();
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      target.replaceWith(stackTable(later.get(target), all));
    }
  }, { rootMargin: "1000px" });
  const sections = shown.map((thread) => {
    const depth = depthOf(thread);
    let table;
    if (depth === 0) table = all ? null : make("div", { class: "bar" }, "No stack.");
    else if (isWhole) table = stackTable(thread, all);
    else {
      table = make("div", {});
      table.style.height = `${depth * STACK_ROW}px`;
      later.set(table, thread);
      observer.observe(table);
    }
    return make(
      "section",
      { "aria-label": thread.name },
      make(
        "header",
        {},
        clamped("span", thread.name),
        chip(thread),
        make("span", { class: "names" }, thread.about),
        all && depth === 0 ? make("span", { class: "names" }, "no stack") : null,
      ),
      table,
      thread.ended === "" ? null : make("div", { class: "bar" }, thread.ended),
    );
  });
  return make(
    "div",
    { class: "threads" },
    ...sections.length === 0
      ? [make("div", { class: "empty" }, `No ${data.words.one} has what is searched for.`)]
      : sections,
  );
}

/** The frames of a thread, innermost first: their numbers among the stacks. */
function* entriesOf(thread) {
  for (let at = thread.samples.stack[0] ?? -1; at >= 0; at = stacks.prefix[at]) yield at;
}

function depthOf(thread) {
  let depth = 0;
  for (const _ of entriesOf(thread)) depth++;
  return depth;
}

function hasMatch(thread) {
  for (const at of entriesOf(thread)) if (isMatch(frames.function[stacks.frame[at]])) return true;
  return false;
}

function stackTable(thread, all) {
  const rows = [];
  let depth = 0;
  for (const at of entriesOf(thread)) {
    const frame = stacks.frame[at];
    const of = frames.function[frame];
    const locals = thread.locals?.[depth] ?? [];
    rows.push(make(
      "tr",
      { class: isSystem(of) ? "system" : "" },
      make("td", {}, `${depth}`),
      make("td", {}, clamped("div", nameOf(of), marked(nameOf(of)))),
      make("td", {}, placeOf(frame)),
      make("td", {}, imageOf(of)),
    ));
    // Over the whole width, whatever files and images are called.
    if (locals.length > 0) {
      const list = make("td", { colspan: "3" }, localsOf(locals, all));
      rows.push(make("tr", {}, make("td", {}), list));
    }
    depth++;
  }
  return make("table", { class: "stack" }, make("tbody", {}, ...rows));
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
