/** Elements, canvases, colours and tips. */
export const main = document.querySelector("main");
export const aside = document.querySelector("aside");
/** @returns {any} an element of the page that is known to be there */
export const byId = (id) => document.getElementById(id);

/** Makes an element. `on…` properties are listeners; text is never markup. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
/** A text of any length in at most three lines; the whole is its title. On paper it is whole.
 *
 * @param {(string | Node)[]} parts the text, with marks in it
 */
export const clamped = (tag, text, parts = [text]) =>
  make(tag, { class: "clamped", title: text.length > 100 && text }, ...parts);
export const say = (text) => byId("said").textContent = text;

export function facts(rows) {
  return make(
    "dl",
    {},
    ...rows.filter(([, value]) => value !== "").flatMap(([name, value]) => [
      make("dt", {}, name),
      make("dd", {}, value),
    ]),
  );
}

/** A canvas that stays in place while its element scrolls. */
export function canvasIn(element, label) {
  const scroller = make("div", { class: "canvas" });
  scroller.style.cssText = "position:absolute;inset:0";
  const canvas = make("canvas", { tabindex: "0", role: "application", "aria-label": label });
  const space = make("div", {});
  scroller.append(canvas, space);
  element.append(scroller);
  const context = canvas.getContext("2d");
  return {
    scroller,
    canvas,
    context,
    /** Prepares to draw; returns the size of what is seen. */
    begin(height) {
      const width = scroller.clientWidth;
      const seen = scroller.clientHeight;
      const ratio = devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(seen * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${seen}px`;
      space.style.height = `${Math.max(0, height - seen)}px`;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, seen);
      return { width, height: seen, top: scroller.scrollTop };
    },
  };
}
const probe = make("span", { hidden: true });
document.body.append(probe);
let colours = {};
/** The theme has changed. */
export function forgetColours() {
  colours = {};
}
export function colour(name) {
  return colours[name] ??= (() => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  })();
}
export const monospace = "12px ui-monospace, Menlo, 'DejaVu Sans Mono', monospace";

const tip = make("div", { class: "tip", hidden: true });
document.body.append(tip);
export function showTip(event, title, ...lines) {
  tip.replaceChildren(make("b", {}, title), ...lines.map((line) => make("div", {}, line)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${
    event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18
  }px`;
}
export const hideTip = () => tip.hidden = true;
