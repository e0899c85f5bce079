/** The process that shows web pages, whose scripts are not its own. */

import { isInCache, titleOf } from "../images.ts";
import { heaviestNode, heaviestRoot } from "../read/call_tree.ts";
import type { CrashReport } from "../report.ts";

/** Whether a process of the system's runs web pages. */
export function isOfPages({ process }: CrashReport): boolean {
  return /^com\.apple\.WebKit\.WebContent\b/.test(process.name ?? process.identifier ?? "");
}

/** How many samples of a heaviest stack ran a page's script: WebKit called JavaScriptCore, and that called code in no image that has a
 * name, which it compiled or interprets. `null` for others. */
export function scriptOfPage(
  report: CrashReport,
): { readonly samples: number; readonly total: number } | null {
  const thread = report.threads.find(({ name }) => name === "heaviest stack");
  if (thread === undefined || !isOfPages(report)) return null;
  const total = thread.tree.reduce((sum, { count }) => sum + count, 0);
  let page = false;
  let engine = false;
  for (let node = heaviestRoot(thread.tree); node !== null; node = heaviestNode(node.children)) {
    const title = titleOf(node.frame);
    if (title === "WebCore") page = true;
    else if (page && title === "JavaScriptCore") engine = true;
    else if (
      engine && /^(?:\?\?\?|<[0-9A-F-]{36}>|)$/.test(title) && !isInCache(report, node.frame)
    ) {
      return node.count * 4 < total ? null : { samples: node.count, total };
    }
  }
  return null;
}
