/** Mangled names to readable text: Swift, C++ and Rust.
 *
 * @module
 */

import { useDemanglers } from "./demangle.ts";
import { libraryDemangler } from "./library.ts";
import {
  demangleSwift,
  swiftDeclarationName,
  swiftTypeName,
  swiftTypeTree,
} from "./swift/swift.ts";

useDemanglers(demangleSwift, libraryDemangler, {
  tree: swiftTypeTree,
  name: swiftTypeName,
  declaration: swiftDeclarationName,
});

export { demangle, type DemangleStyle, isMangled, needsLibrary } from "./demangle.ts";
export { loadDemangler } from "./library.ts";
export type { Node as SwiftNode } from "./swift/node.ts";
export type { SymbolicResolver } from "./swift/state.ts";
export { swiftDeclarationName, swiftTypeName, swiftTypeTree } from "./swift/swift.ts";
