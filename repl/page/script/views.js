/** The views, and the details of a function beside them. */
import { clock, data, end, frames, imageOf, nameOf, placeOf, state, strings } from "./data.js";
import { aside, byId, facts, main, make, say } from "./dom.js";
import { forget, search } from "./sums.js";

/** What the page is about, at the right. */
export function about() {
  aside.replaceChildren(
    make("h2", {}, data.title),
    facts(data.facts),
    ...data.notes.length === 0 ? [] : [
      make("h3", {}, "Notes"),
      make("ul", { class: "notes" }, ...data.notes.map((note) => make("li", {}, note))),
    ],
  );
}

/** What is known about a function, at the right.
 *
 * @param {readonly import("../data.ts").PageLocal[]} [locals]
 */
export function describe(of, frame, extra = [], locals = []) {
  const address = frame === undefined ? -1 : frames.address?.[frame] ?? -1;
  aside.replaceChildren(
    make("h2", {}, nameOf(of)),
    facts([
      ...extra,
      ["Image", imageOf(of)],
      ["Source", placeOf(frame, true)],
      ["Address", address < 0 ? "" : strings[address]],
      ["Inlined", frame !== undefined && frames.inlined[frame] ? "yes" : ""],
    ]),
    ...locals.length === 0 ? [] : [make("h3", {}, "Locals"), localsOf(locals)],
  );
  say([nameOf(of), ...extra.map((row) => row.join(" "))].join(", "));
}
/** Maximum length of a type that is shown; the whole is its title. */
const MAX_TYPE = 120;

/** The variables of a frame.
 *
 * @param {readonly any[]} list
 * @param {boolean} whole whether types of any length are shown
 */
export function localsOf(list, whole = false) {
  const cut = (type) => whole || type.length <= MAX_TYPE ? type : `${type.slice(0, MAX_TYPE - 1)}…`;
  return make(
    "div",
    { class: "locals mono" },
    ...list.map(([depth, name, type, value, absent, later]) => {
      const row = make(
        "div",
        {},
        name,
        make("span", { class: "type", title: type.length > MAX_TYPE && type }, ` ${cut(type)}`),
        value === "" ? "" : " = ",
        absent ? make("span", { class: "absent" }, value) : value,
        later ? make("span", { class: "absent" }, " (read later)") : null,
      );
      row.style.marginLeft = `${depth * 16}px`;
      return row;
    }),
  );
}

/** A function's name with what was searched for marked. */
export function marked(text) {
  const wanted = state.query.trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return [text];
  const rest = at + wanted.length;
  return [text.slice(0, at), make("mark", {}, text.slice(at, rest)), text.slice(rest)];
}

// Views. Each has an element, and draws itself when it is shown or what it shows has changed

export const views = {};
export function addView(name, title, view) {
  const element = make("div", {
    class: "view",
    role: "tabpanel",
    id: `view-${name}`,
    "aria-labelledby": `tab-${name}`,
    hidden: true,
  });
  main.append(element);
  const tab = make("button", {
    role: "tab",
    id: `tab-${name}`,
    "aria-controls": `view-${name}`,
    "aria-selected": "false",
    tabindex: "-1",
    onclick: () => show(name),
  }, title);
  byId("tabs").append(tab);
  views[name] = { element, tab, title, drawn: null, ...view(element) };
}
let version = 0;
export function show(name) {
  state.tab = name;
  for (const [other, { element, tab }] of Object.entries(views)) {
    element.hidden = other !== name;
    tab.setAttribute("aria-selected", `${other === name}`);
    tab.tabIndex = other === name ? 0 : -1;
  }
  draw();
}
export function draw() {
  const view = views[state.tab];
  if (view.drawn !== version) {
    view.drawn = version;
    view.draw();
  }
}
/** Draws again what is shown, in another size or other colours. */
export function redraw() {
  version++;
  draw();
}
/** Draws again what is shown, after the selection or the search has changed. */
export function changed(what) {
  if (what === "selection") {
    forget();
    search(state.query);
  }
  version++;
  const isPart = state.from > -Infinity || state.to < Infinity;
  byId("range").hidden = !isPart;
  byId("range-text").textContent = isPart
    ? `${clock(Math.max(0, state.from))} to ${clock(Math.min(end, state.to))}`
    : "";
  draw();
}

export function setRange(from, to) {
  state.from = from;
  state.to = to;
  changed("selection");
}
export function choose(index) {
  state.thread = index;
  byId("thread").value = `${index}`;
  changed("selection");
}
