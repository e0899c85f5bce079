/** Summarizes reports for `crash --group`: first it is given the options, then files, as long as there
 * are any. */

import { Summarizer, type SummaryOptions, type SummaryOrError } from "../view/crash_summary.ts";

const scope = globalThis as unknown as {
  onmessage: (event: { data: SummaryOptions | readonly string[] }) => void;
  postMessage(summaries: readonly SummaryOrError[]): void;
};

let summarizer: Promise<Summarizer> | undefined;

scope.onmessage = async ({ data }) => {
  if (summarizer === undefined) {
    summarizer = Summarizer.open(data as SummaryOptions);
    await summarizer;
    scope.postMessage([]);
    return;
  }
  const opened = await summarizer;
  scope.postMessage((data as readonly string[]).map((file) => opened.summarize(file)));
};
