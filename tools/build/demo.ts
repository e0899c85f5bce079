/** The demo as it is embedded: one file that holds universal programs, their library, and dSYMs. */
import { sign } from "./codesign.ts";

/** What is read, by folders; the last part of each is an architecture. */
export const demoFolders: readonly string[] = ["x86_64", "arm64"].map((arch) =>
  `examples/demo/${arch}`
);

const dwarf = "Contents/Resources/DWARF";
const library = "libworkers.dylib";
const binaries = ["demo", library, "deadlock"];

/** The files of each folder, by their paths in it. */
export const demoFiles: readonly string[] = [
  ...binaries,
  ...binaries.flatMap((name) => [
    `${name}.dSYM/Contents/Info.plist`,
    `${name}.dSYM/${dwarf}/${name}`,
  ]),
];

/** Makes it: a line of JSON that lists the files with their sizes in bytes, then their contents one after
 * another.
 *
 * @param lipo joins the files of several architectures into one
 */
export async function bundleDemo(
  root: string,
  scratch: string,
  lipo: (inputs: readonly string[], output: string) => Promise<unknown>,
): Promise<Uint8Array<ArrayBuffer>> {
  const contents: Uint8Array<ArrayBuffer>[] = [];
  for (const path of demoFiles) {
    const inputs = demoFolders.map((folder) => `${root}${folder}/${path}`);
    if (path.endsWith(".plist")) {
      contents.push(await Deno.readFile(inputs[0]));
      continue;
    }
    const slices: string[] = [];
    for (const [index, input] of inputs.entries()) {
      if (!binaries.includes(path)) {
        slices.push(input);
        continue;
      }
      // That any debugger may attach to it, without being asked for a password.
      const entitlements = path === library ? [] : ["com.apple.security.get-task-allow"];
      const signed = await sign(await Deno.readFile(input), { identifier: path, entitlements });
      const slice = `${scratch}/demo-${index}-${path}`;
      await Deno.writeFile(slice, signed);
      slices.push(slice);
    }
    const universal = `${scratch}/demo-universal`;
    await lipo(slices, universal);
    contents.push(await Deno.readFile(universal));
  }
  const list = demoFiles.map((path, index) => ({ path, size: contents[index].length }));
  const head = new TextEncoder().encode(`${JSON.stringify(list)}\n`);
  return new Uint8Array(await new Blob([head, ...contents]).arrayBuffer());
}
