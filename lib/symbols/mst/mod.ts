/** The symbol table file, `.mst`: functions, lines and inlined calls of an image, searched in place. README.md
 * specifies the format. */

export type { MstIdentity } from "./assemble.ts";
export { MstBuilder, type MstStream, type MstSymbol } from "./builder.ts";
export { isMst } from "./layout.ts";
export type { MstFunction } from "./lookup.ts";
export { MstFile, type MstInfo, mstName, openMst } from "./mst_file.ts";
export { type AsyncByteSource, openRemoteMst, readAtMost, RemoteMst } from "./remote_mst.ts";
export { type MstPart, UnitEncoder } from "./unit_encoder.ts";
