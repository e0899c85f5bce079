/** What `lib/symbols/index` takes from the system. */
import type { IndexSystem } from "../lib/symbols/index/tasks.ts";
import { files } from "./files.ts";

/** The files of the system, and workers that read them. */
export const indexSystem: Required<IndexSystem> = {
  files,
  startWorker: () => new Worker(new URL("./index_worker.ts", import.meta.url), { type: "module" }),
};
