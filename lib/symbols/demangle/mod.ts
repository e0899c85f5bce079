/** Mangled names to the text that people read. */

export {
  demangle,
  type Demangler,
  type DemangleStyle,
  needsLibrary,
  useDemangler,
} from "./demangle.ts";
