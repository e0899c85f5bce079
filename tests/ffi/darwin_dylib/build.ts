/** Builds the shared object that runs the Darwin library on Linux: see embed.c. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import dylib from "../../../ffi/prebuilt/darwin.ts";

const root = new URL("../../../", import.meta.url).pathname;

function cFiles(directory: string): string[] {
  return [...Deno.readDirSync(root + directory)]
    .filter((entry) => entry.isFile && entry.name.endsWith(".c"))
    .map((entry) => `${root}${directory}/${entry.name}`);
}

/** The names of all functions of machpause.h. */
export function functionNames(): string[] {
  const header = Deno.readTextFileSync(`${root}ffi/shim/machpause.h`);
  return [...header.matchAll(/^MP_EXPORT \w+ (mp_\w+)\(/gm)].map((match) => match[1]);
}

/** Builds it from the committed universal dylib.
 *
 * @param directory where the dylib and the shared object go; both must stay for as long as it is
 * loaded
 * @param options the compiler of the machine that loads it, and the directory's path there
 * @returns the path of the shared object
 */
export async function buildEmbedded(
  directory: string,
  { compiler = "cc", there = directory } = {},
): Promise<string> {
  await Deno.writeFile(
    `${directory}/libmachpause.dylib`,
    gunzipSync(Buffer.from(dylib, "base64")),
  );
  const functions = `#define FUNCTIONS(X) ${functionNames().map((name) => `X(${name})`).join(" ")}`;
  await Deno.writeTextFile(`${directory}/functions.h`, `${functions}\n`);
  const library = `${directory}/libembedded.so`;
  const { success, stderr } = await new Deno.Command(compiler, {
    args: [
      "-std=gnu11",
      "-O2",
      "-Wall",
      "-Wextra",
      "-Werror",
      "-fPIC",
      "-fvisibility=hidden",
      // The loader's frames must be walkable.
      "-fno-omit-frame-pointer",
      "-mno-omit-leaf-frame-pointer",
      "-fno-optimize-sibling-calls",
      `-DDYLIB="${there}/libmachpause.dylib"`,
      "-include",
      `${directory}/functions.h`,
      "-I",
      `${root}ffi/shim`,
      `${root}tests/ffi/darwin_dylib/embed.c`,
      ...cFiles("ffi/shim/linux"),
      ...cFiles("ffi/shim/linux/loader")
        .filter((file) => !file.endsWith("/main.c") && !file.endsWith("/host_bare.c")),
      `${root}ffi/shim/linux/loader/entry.S`,
      "-shared",
      "-pthread",
      "-Wl,-z,now",
      "-Wl,--no-undefined",
      "-ldl",
      "-o",
      library,
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return library;
}
