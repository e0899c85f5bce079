/** The frame around the views: the choice of threads, the search, keys, colours, and what is printed. */
import {
  amount,
  amountOf,
  data,
  imageOf,
  moment,
  nameOf,
  placeOf,
  share,
  state,
  threads,
} from "./data.js";
import { byId, facts, forgetColours, main, make, say } from "./dom.js";
import { search, sums, topDown } from "./sums.js";
import { about, changed, choose, redraw, setRange, show, views } from "./views.js";
import { stackList } from "./threads.js";
import "./parallel.js";
import "./flame.js";
import "./tables.js";
import "./timeline.js";

document.title = `${data.title} – machpause`;
byId("title").textContent = byId("title").title = data.title;
byId("subtitle").textContent = data.subtitle;
// A text of a profile comes first in what is known about its views, a list of threads in a pause.
const order = data.words.one !== "thread"
  ? ["threads", "parallel", "flame", "topdown", "bottomup"]
  : moment
  ? ["parallel", "threads", "timeline", "flame", "topdown", "bottomup"]
  : ["flame", "topdown", "bottomup", "timeline", "threads", "parallel"];
for (const name of order) if (views[name] !== undefined) byId("tabs").append(views[name].tab);
const tabs = order.filter((name) => views[name] !== undefined);

const picker = byId("thread");
picker.append(
  make(
    "option",
    { value: "-1" },
    `${threads.length === 1 ? "" : "All "}${amountOf(threads.length)}`,
  ),
);
for (const [index, { name }] of threads.entries()) {
  picker.append(make("option", { value: `${index}` }, name));
}
picker.addEventListener("change", () => choose(Number(picker.value)));
const field = byId("search");
let timer;
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    search(field.value);
    changed();
  }, 80);
});
byId("whole").addEventListener("click", () => setRange(-Infinity, Infinity));
const themes = ["auto", "light", "dark"];
const root = document.documentElement;
function setTheme(theme) {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  forgetColours();
  try {
    localStorage.setItem("machpause-theme", theme);
  } catch {
    // Pages from the disk may have no storage.
  }
  redraw();
}
function nextTheme() {
  const now = themes.indexOf(root.dataset.theme ?? "auto");
  const theme = themes[(now + 1) % themes.length];
  setTheme(theme);
  say(`Colours: ${theme}`);
}
byId("theme").addEventListener("click", nextTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("close").addEventListener("click", () => byId("keys").close());
byId("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const name = tabs[(tabs.indexOf(state.tab) + step + tabs.length) % tabs.length];
  show(name);
  views[name].tab.focus();
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || byId("keys").open) return;
  const isTyping = event.target instanceof Element &&
    event.target.matches("input:not([type=checkbox]), select");
  if (event.key === "Escape") {
    if (field.value !== "") {
      field.value = "";
      search("");
      changed();
    } else if (state.from > -Infinity) setRange(-Infinity, Infinity);
    else about();
    field.blur();
    return;
  }
  if (isTyping) return;
  const number = Number(event.key);
  if (event.key === "/") field.focus();
  else if (event.key === "?") byId("keys").showModal();
  else if (event.key === "t") nextTheme();
  else if (number >= 1 && number <= tabs.length) {
    show(tabs[number - 1]);
    const { element } = views[tabs[number - 1]];
    (element.querySelector("[tabindex='0']") ?? element).focus();
  } else return;
  event.preventDefault();
});
new ResizeObserver(redraw).observe(main);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  forgetColours();
  redraw();
});

// On paper: what a person would read, with nothing to click.
addEventListener("beforeprint", () => {
  const parts = [facts(data.facts)];
  for (const note of data.notes) parts.push(make("p", {}, note));
  if (moment) parts.push(stackList(true));
  else {
    const { total } = sums();
    const rows = [...topDownLines(topDown().root, total)].map(([node, depth]) => {
      const name = make("td", {}, nameOf(node.of));
      // However deep, most of the column is the name's.
      name.style.paddingLeft = `${12 + Math.min(depth * 8, 160)}px`;
      return make(
        "tr",
        {},
        make("td", {}, share(node.total, total)),
        make("td", {}, share(node.self, total)),
        name,
        make("td", {}, placeOf(node.frame)),
        make("td", {}, imageOf(node.of)),
      );
    });
    const whole = data.unit === "samples"
      ? `${amount(total)} ${data.words.weight.toLowerCase()}`
      : amount(total);
    const heads = ["Total", "Self", "Function", "Source", "Image"];
    parts.push(
      make("p", {}, `Functions with at least 1 % of ${whole}, below their callers.`),
      make(
        "table",
        { class: "stack sums" },
        make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", {}, text)))),
        make("tbody", {}, ...rows),
      ),
    );
  }
  byId("print").replaceChildren(...parts);
});
/** The functions with at least a hundredth of the weight. */
function* topDownLines(node, total, depth = 0) {
  for (const kid of topDown().children(node)) {
    if (kid.total < total / 100) break;
    yield [kid, depth];
    yield* topDownLines(kid, total, depth + 1);
  }
}

// For tests: where something is in a canvas.
globalThis.machpausePage = { barFor: (name) => views.flame.barFor(name), state, views };

let stored = null;
try {
  stored = localStorage.getItem("machpause-theme");
} catch {
  // As above.
}
if (themes.includes(stored)) setTheme(stored);
about();
show(tabs[0]);
