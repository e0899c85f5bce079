/** Writes a page: one HTML file that needs nothing else, and may do nothing but show itself. */
import { sha256 } from "../../ffi/sha256.ts";
import type { PageData } from "./data.ts";
import data from "./script/data.js" with { type: "text" };
import dom from "./script/dom.js" with { type: "text" };
import sums from "./script/sums.js" with { type: "text" };
import views from "./script/views.js" with { type: "text" };
import threads from "./script/threads.js" with { type: "text" };
import parallel from "./script/parallel.js" with { type: "text" };
import flame from "./script/flame.js" with { type: "text" };
import tables from "./script/tables.js" with { type: "text" };
import timeline from "./script/timeline.js" with { type: "text" };
import main from "./script/main.js" with { type: "text" };
import style from "./page.css" with { type: "text" };

/** The modules of the script as one. Each top-level name is unique among all of them: in a block a second
 * function of one name is a syntax error, too. */
const script = `"use strict";
{
${
  [data, dom, sums, views, threads, parallel, flame, tables, timeline, main]
    .map((text) => text.replace(/^import\b[^;]*;\n/gm, "").replace(/^export /gm, "")).join("\n")
}}
`;

/** The content security policy of every page. */
let policy: string | undefined;

/** The HTML of a page.
 *
 * Its content security policy allows its own script and style, by their hashes, and nothing else: no
 * request, no other script, no form. The data is JSON in which `<` and the line separators of Unicode are
 * escaped, so that no text of a target ends the element; the script puts text into the document as text.
 */
export function pageHtml(page: PageData): string {
  policy ??= [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    // Widths and positions are set by the script, which the policy of styles does not concern.
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="machpause">
<title>machpause</title>
<style>${style}</style>
</head>
<body>
<header>
<h1 id="title"></h1>
<span class="subtitle" id="subtitle"></span>
<div class="tools">
<span id="found" role="status"></span>
<input type="search" id="search" placeholder="Search functions  /" aria-label="Search functions" spellcheck="false" autocomplete="off">
<select id="thread" aria-label="Threads"></select>
<button type="button" class="icon" id="theme" title="Colours (t)" aria-label="Colours: automatic, light or dark">◐</button>
<button type="button" class="icon" id="help" title="Keys (?)" aria-label="Keys">?</button>
</div>
</header>
<nav aria-label="Views"><div id="tabs" role="tablist"></div>
<div class="range" id="range" hidden><span id="range-text"></span><button type="button" id="whole">Whole time</button></div></nav>
<main></main>
<aside id="details" aria-label="Details" tabindex="0"></aside>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl>
<dt><kbd>1</kbd> … <kbd>6</kbd></dt><dd>The views, in their order</dd>
<dt><kbd>/</kbd></dt><dd>Search functions, or an image by its whole name</dd>
<dt><kbd>Esc</kbd></dt><dd>End the search, then the chosen time; what the page is about</dd>
<dt><kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd></dt><dd>Flame graph: to callers, callees and their neighbours. Tables: rows, close and open. Timeline: threads and samples. Parallel stacks: functions, and the stacks before and after</dd>
<dt><kbd>Shift</kbd> <kbd>←</kbd> <kbd>→</kbd></dt><dd>Timeline: choose a time</dd>
<dt><kbd>Page ↑</kbd> <kbd>Page ↓</kbd></dt><dd>Parallel stacks: the stacks above and below</dd>
<dt><kbd>Enter</kbd></dt><dd>Flame graph: make this function the width. Tables: open or close. Timeline: this thread alone, or all again</dd>
<dt><kbd>t</kbd></dt><dd>Colours: automatic, light, dark</dd>
<dt><kbd>?</kbd></dt><dd>This list</dd>
</dl>
<p class="muted">A click in the flame graph makes a function the width; a drag in the timeline chooses a time. On paper the page has every stack, or the call tree.</p>
<button type="button" id="close">Close</button>
</dialog>
<div class="said" id="said" aria-live="polite"></div>
<div id="print"></div>
<noscript>This page draws itself with a script, which is switched off.</noscript>
<script type="application/json" id="data">${embedded(page)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON that stays within its element. */
function embedded(data: PageData): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A source of a content security policy. */
function hashOf(text: string): string {
  const digits = sha256(new TextEncoder().encode(text)).match(/../g)!;
  return `sha256-${btoa(String.fromCharCode(...digits.map((byte) => parseInt(byte, 16))))}`;
}
