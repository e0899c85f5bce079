/** Mangled names to the text that people read. */

import { useSwift } from "./demangle.ts";
import { demangleSwift } from "./swift/swift.ts";

useSwift({ demangle: demangleSwift });

export {
  demangle,
  type Demangler,
  type DemangleStyle,
  needsLibrary,
  useDemangler,
} from "./demangle.ts";
