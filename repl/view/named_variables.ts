/** Variables as text and JSON, with the demanglers. */
import "../../lib/symbols/demangle/mod.ts";

export * from "./variables.ts";
