/** A worker that summarizes reports: it gets the options first, then batches of files. */
import { Summarizer, type SummaryOptions, type SummaryOrError } from "./summarize.ts";

const scope = globalThis as unknown as {
  onmessage: (event: { data: SummaryOptions | readonly string[] }) => void;
  postMessage(summaries: readonly SummaryOrError[]): void;
};

let summarizer: Promise<Summarizer> | undefined;

scope.onmessage = async ({ data }) => {
  if (summarizer === undefined) {
    summarizer = Summarizer.open(data as SummaryOptions);
    return;
  }
  const opened = await summarizer;
  scope.postMessage((data as readonly string[]).flatMap((file) => opened.summarize(file)));
};
