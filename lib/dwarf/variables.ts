/** The part of this folder's face that reads variables and types. `mod.ts` leaves it out, since that is
 * loaded at every start. */
export { AT, ATE, TAG, UT } from "./constants.ts";
export { Containers } from "./containers.ts";
export { Entry, EntryReader } from "./entries.ts";
export {
  evaluateLocation,
  type Location,
  type LocationContext,
  type NoLocation,
  type OperandType,
  type Piece,
} from "./location.ts";
export { LocationLists } from "./location_lists.ts";
export { type TypeTables, typeTables } from "./type_tables.ts";
export type { Ranges } from "./range_lists.ts";
export type { UnitContext } from "./unit_context.ts";
