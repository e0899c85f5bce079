/** A worker that reads files of reports: it gets the options first, then batches of paths. */
import type { FileRecord } from "../../../lib/collect/mod.ts";
import { Collector, type CollectorOptions } from "./collector.ts";

const scope = globalThis as unknown as {
  onmessage: (event: { data: CollectorOptions | readonly string[] }) => void;
  postMessage(records: readonly FileRecord[]): void;
};

let collector: Promise<Collector> | undefined;

scope.onmessage = async ({ data }) => {
  if (collector === undefined) {
    collector = Collector.open(data as CollectorOptions);
    return;
  }
  const opened = await collector;
  const records: FileRecord[] = [];
  for (const path of data as readonly string[]) records.push(await opened.collect(path));
  scope.postMessage(records);
};
