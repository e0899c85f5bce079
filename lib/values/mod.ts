/** Values of variables: types, places, and formatters, with no process in it.
 *
 * @module
 */
import "../symbols/demangle/mod.ts";

export * from "./reading.ts";
