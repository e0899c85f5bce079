/** The flame graph. */
import {
  amount,
  amountOf,
  functions,
  imageOf,
  isSystem,
  moment,
  nameOf,
  numbers,
  placeOf,
  share,
  state,
  threads,
} from "./data.js";
import { canvasIn, colour, hideTip, monospace, showTip } from "./dom.js";
import { isMatch, matches, sums, topDown } from "./sums.js";
import { about, addView, describe } from "./views.js";

const ROW = 20;

addView("flame", "Flame graph", (element) => {
  const sheet = canvasIn(element, "Flame graph. Arrow keys go from function to function.");
  let zoom = null;
  let focus = null;
  let bars = [];
  const rootOf = () => zoom ?? topDown().root;
  const widthOf = () => sheet.scroller.clientWidth;

  function draw() {
    const { root, deepest } = topDown();
    if (zoom !== null && !isBelow(zoom, root)) zoom = null;
    if (focus !== null && !isBelow(focus, root)) focus = null;
    const { width, height, top } = sheet.begin((deepest + 1) * ROW + 8);
    const { context } = sheet;
    bars = [];
    if (root.total === 0) {
      context.fillStyle = colour("muted");
      context.font = "13px system-ui, sans-serif";
      context.fillText("No samples here.", 16, 32);
      return;
    }
    const path = [];
    for (let node = zoom; node !== null && node !== undefined; node = node.parent) {
      path.unshift(node);
    }
    // What is around the zoomed function stands above it, over the whole width.
    const base = zoom ?? root;
    if (zoom === null) path.unshift(root);
    path.forEach((node, depth) => bar(node, 0, width, depth, node !== base));
    place(base, 0, width, path.length);
    context.font = monospace;
    context.textBaseline = "middle";

    function place(node, left, size, depth) {
      if (depth * ROW - top > height) return;
      let at = left;
      const kids = topDown().children(node);
      for (const [index, kid] of kids.entries()) {
        const part = size * kid.total / node.total;
        // Children come by weight: the rest is smaller still.
        if (part < 0.7) {
          rest(kids.slice(index), at, size / node.total, depth);
          break;
        }
        bar(kid, at, part, depth, false);
        place(kid, at, part, depth + 1);
        at += part;
      }
    }
    /** What is too narrow to be drawn each for itself, as one bar. */
    function rest(kids, left, scale, depth) {
      const total = kids.reduce((sum, kid) => sum + kid.total, 0);
      const size = total * scale;
      const y = depth * ROW - top + 4;
      if (size < 0.7 || y > height || y + ROW < 0) return;
      bars.push({ node: null, left, size, y, narrow: { count: kids.length, total } });
      context.globalAlpha = 0.25;
      context.fillStyle = colour("muted");
      context.fillRect(left, y, Math.max(size - 1, 0.7), ROW - 1);
      context.globalAlpha = 1;
      if (size < 28) return;
      context.fillStyle = colour("muted");
      context.font = monospace;
      context.textBaseline = "middle";
      context.fillText(fitted(narrowText(kids.length), size - 10), left + 5, y + ROW / 2);
    }
    function bar(node, left, size, depth, isAround) {
      const y = depth * ROW - top + 4;
      if (y > height || y + ROW < 0) return;
      bars.push({ node, left, size, y });
      const hit = node.of >= 0 && isMatch(node.of);
      context.globalAlpha = isAround || matches !== null && !hit ? 0.45 : 1;
      context.fillStyle = hit ? colour("match") : fill(node);
      context.fillRect(left, y, Math.max(size - 1, 0.7), ROW - 1);
      context.globalAlpha = 1;
      if (node === focus) {
        context.strokeStyle = colour("text");
        context.lineWidth = 2;
        context.strokeRect(left + 1, y + 1, Math.max(size - 3, 1), ROW - 3);
      }
      if (size < 28) return;
      context.fillStyle = colour("bar-text");
      context.font = monospace;
      context.textBaseline = "middle";
      context.fillText(fitted(label(node), size - 10), left + 5, y + ROW / 2);
    }
    function fitted(text, room) {
      const most = Math.floor(room / 7.23);
      return text.length <= most ? text : most < 3 ? "" : `${text.slice(0, most - 1)}…`;
    }
  }
  const narrowText = (count) =>
    `${numbers.format(count)} narrower ${count === 1 ? "call" : "calls"}`;
  const label = (node) =>
    node.of >= 0
      ? nameOf(node.of)
      : state.thread < 0
      ? moment || threads.length === 1 ? amountOf(threads.length) : "All threads"
      : threads[state.thread].name;
  function fill(node) {
    if (node.of < 0) return colour("system");
    const image = functions.image[node.of];
    return isSystem(node.of)
      ? colour(image % 2 ? "system" : "system-2")
      : colour(["own", "own-2", "own-3"][node.of % 3]);
  }
  function isBelow(node, root) {
    for (let at = node; at !== null; at = at.parent) if (at === root) return true;
    return false;
  }
  function barAt({ clientX, clientY }) {
    const box = sheet.canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    return bars.find((bar) =>
      x >= bar.left && x < bar.left + bar.size && y >= bar.y && y < bar.y + ROW
    );
  }
  function extra(node) {
    const { total } = sums();
    return [
      ["Total", `${amount(node.total)}, ${share(node.total, total)}`],
      ["Self", `${amount(node.self)}, ${share(node.self, total)}`],
    ];
  }
  function select(node) {
    focus = node;
    if (node.of >= 0) describe(node.of, node.frame, extra(node));
    else about();
    draw();
  }
  function zoomTo(node) {
    zoom = node === null || node.of < 0 ? null : node;
    sheet.scroller.scrollTop = 0;
    draw();
  }
  sheet.scroller.addEventListener("scroll", draw);
  sheet.canvas.addEventListener("mousemove", (event) => {
    const bar = barAt(event);
    sheet.canvas.style.cursor = bar === undefined || bar.node === null ? "" : "pointer";
    if (bar === undefined) hideTip();
    else if (bar.node === null) {
      const { count, total } = bar.narrow;
      showTip(
        event,
        narrowText(count),
        `Total: ${amount(total)}, ${share(total, sums().total)}`,
        "Each is too narrow to be drawn. A click on what is above gives them more room.",
      );
    } else {
      showTip(
        event,
        label(bar.node),
        ...extra(bar.node).map((row) => row.join(": ")),
        ...bar.node.of < 0 ? [] : [imageOf(bar.node.of), placeOf(bar.node.frame)],
      );
    }
  });
  sheet.canvas.addEventListener("mouseleave", hideTip);
  sheet.canvas.addEventListener("click", (event) => {
    const bar = barAt(event);
    if (bar === undefined || bar.node === null) return;
    select(bar.node);
    zoomTo(bar.node);
  });
  sheet.canvas.addEventListener("keydown", (event) => {
    const tree = topDown();
    const node = focus ?? rootOf();
    const beside = node.parent === null ? [node] : tree.children(node.parent);
    const at = beside.indexOf(node);
    const next = {
      ArrowDown: () => tree.children(node)[0],
      ArrowUp: () => node.parent ?? undefined,
      ArrowRight: () => beside[at + 1],
      ArrowLeft: () => beside[at - 1],
      Home: () => tree.root,
    }[event.key]?.();
    if (event.key === "Enter") zoomTo(node);
    else if (event.key === "Escape" && zoom !== null) zoomTo(null);
    else if (event.key.startsWith("Arrow") || event.key === "Home") {
      if (next !== undefined) {
        if (zoom !== null && !isBelow(next, zoom)) zoom = next.of < 0 ? null : next;
        select(next);
        const y = (next.depth + 1) * ROW;
        const { scrollTop, clientHeight } = sheet.scroller;
        if (y < scrollTop || y + 2 * ROW > scrollTop + clientHeight) {
          sheet.scroller.scrollTop = y - clientHeight / 2;
        }
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    draw,
    barFor: (name) => {
      const bar = bars.find(({ node, narrow }) =>
        (node === null ? narrowText(narrow.count) : label(node)) === name
      );
      return bar === undefined ? null : [bar.left + Math.min(bar.size, widthOf()) / 2, bar.y + 8];
    },
  };
});
