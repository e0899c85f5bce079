/** The files of this system, and where it knows dSYMs to be. */
import type { FileSystem } from "../lib/file_system.ts";
import { files } from "./files.ts";
import { locateDsyms } from "./spotlight.ts";

/** What the library opens files through, here. */
export const fileSystem: FileSystem = {
  files,
  locate: Deno.build.os === "darwin" ? locateDsyms : undefined,
};
