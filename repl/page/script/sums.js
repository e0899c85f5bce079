/** The search, and the sums and trees of what is selected. */
import {
  amountOf,
  data,
  frames,
  functions,
  imageOf,
  moment,
  nameOf,
  numbers,
  selected,
  share,
  stacks,
  state,
} from "./data.js";
import { byId, say } from "./dom.js";

export let matches = null;
export function search(query) {
  state.query = query;
  const wanted = query.trim().toLowerCase();
  matches = wanted === "" ? null : Uint8Array.from(
    functions.name,
    (_, of) =>
      nameOf(of).toLowerCase().includes(wanted) || imageOf(of).toLowerCase() === wanted ? 1 : 0,
  );
  let text = "";
  if (matches !== null) {
    const { weights, total } = sums();
    const hit = new Uint8Array(stacks.prefix.length);
    let weight = 0;
    for (let at = 0; at < hit.length; at++) {
      const prefix = stacks.prefix[at];
      hit[at] = matches[frames.function[stacks.frame[at]]] | (prefix < 0 ? 0 : hit[prefix]);
      if (hit[at]) weight += weights[at];
    }
    const count = matches.reduce((sum, one) => sum + one, 0);
    text = `${numbers.format(count)} function${count === 1 ? "" : "s"}, ${
      moment && data.words.one === "thread" ? amountOf(weight) : share(weight, total)
    }`;
  }
  byId("found").textContent = text;
  if (text !== "") say(text);
}

export const isMatch = (of) => matches !== null && matches[of] === 1;

export let memo = {};
/** The selection has changed. */
export function forget() {
  memo = {};
}
function once(key, compute) {
  return key in memo ? memo[key] : memo[key] = compute();
}

/** The weight of each stack as a sample's own. */
export function sums() {
  return once("sums", () => {
    const weights = new Float64Array(stacks.prefix.length);
    let total = 0;
    for (const { samples: { stack, time, weight, length } } of selected()) {
      for (let row = 0; row < length; row++) {
        if (time[row] < state.from || time[row] >= state.to || stack[row] < 0) continue;
        weights[stack[row]] += weight[row];
        total += weight[row];
      }
    }
    return { weights, total };
  });
}

/** The call tree from outside in. Node 0 is above all roots. */
export function topDown() {
  return once("topDown", () => {
    const { weights } = sums();
    const count = stacks.prefix.length;
    const used = new Uint8Array(count);
    for (let at = count - 1; at >= 0; at--) {
      if (weights[at] !== 0) used[at] = 1;
      if (used[at] && stacks.prefix[at] >= 0) used[stacks.prefix[at]] = 1;
    }
    const nodes = [{ of: -1, frame: undefined, parent: null, self: 0, total: 0, depth: -1 }];
    // Nodes by their parent and function: a hash table of numbers, since a Map of a million takes seconds.
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    const nodeOf = new Int32Array(count);
    for (let at = 0; at < count; at++) {
      if (!used[at]) continue;
      const prefix = stacks.prefix[at];
      const parent = prefix < 0 ? 0 : nodeOf[prefix];
      const frame = stacks.frame[at];
      const of = frames.function[frame];
      const above = nodes[parent];
      const hash = Math.imul(Math.imul(parent, 0x9e3779b1) ^ of, 0x85ebca6b);
      let slot = (hash ^ hash >>> 15) & slots.length - 1;
      while (slots[slot] !== 0) {
        const known = nodes[slots[slot]];
        if (known.of === of && known.parent === above) break;
        slot = slot + 1 & slots.length - 1;
      }
      let node = slots[slot];
      if (node === 0) {
        node = slots[slot] = nodes.length;
        nodes.push({ of, frame, parent: above, self: 0, total: 0, depth: above.depth + 1 });
      }
      nodeOf[at] = node;
      nodes[node].self += weights[at];
      nodes[node].total += weights[at];
    }
    for (let at = nodes.length - 1; at > 0; at--) {
      const node = nodes[at];
      node.parent.total += node.total;
      (node.parent.list ??= []).push(node);
    }
    let deepest = 0;
    for (const node of nodes) {
      node.list?.sort((one, other) => other.total - one.total || one.of - other.of);
      deepest = Math.max(deepest, node.depth + 1);
    }
    return { root: nodes[0], deepest, children: (node) => node.list ?? [] };
  });
}

/** The call tree from inside out; children are computed when they are asked for. */
export function bottomUp() {
  return once("bottomUp", () => {
    const { weights, total } = sums();
    const items = [];
    weights.forEach((weight, at) => weight !== 0 && items.push([at, weight]));
    const root = { of: -1, parent: null, self: 0, total, depth: -1, items };
    const children = (node) =>
      node.list ??= (() => {
        const groups = new Map();
        for (const [at, weight] of node.items) {
          if (at < 0) continue;
          const frame = stacks.frame[at];
          const of = frames.function[frame];
          let group = groups.get(of);
          if (group === undefined) {
            group = { of, frame, parent: node, self: 0, total: 0, depth: node.depth + 1 };
            group.items = [];
            groups.set(of, group);
          }
          group.total += weight;
          if (node === root) group.self += weight;
          group.items.push([stacks.prefix[at], weight]);
        }
        node.items = [];
        return [...groups.values()].sort((one, other) => other.total - one.total);
      })();
    return { root, children };
  });
}
