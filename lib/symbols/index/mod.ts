/** Making symbol table files, and looking up many addresses at once, by workers.
 *
 * @module
 */
export { type BulkFrames, bulkFrames, type BulkRequest } from "./bulk.ts";
export {
  archNameOf,
  makeTable,
  type Table,
  type TableInput,
  type TableOptions,
} from "./index_table.ts";
export { serveTasks } from "./serve.ts";
export type { IndexSystem } from "./tasks.ts";
export { imagesIn } from "../binaries.ts";
export { dsymPaths } from "../finder.ts";
