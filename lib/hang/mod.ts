/** Watching a thread for hangs, and keeping what was found on disk.
 *
 * @module
 */
export * from "./api.ts";
export { blockingFunctions, idleFunctions, waitingIn } from "./idle.ts";
export { describeHang, hangHead, threadTitle, waitLines } from "./report.ts";
export {
  type Folder,
  type FolderEntry,
  type HangCounts,
  HangStore,
  type StoreOptions,
} from "./store.ts";
export { commonStack } from "./timeline.ts";
