/** Images made of assembly by LLVM's tools. */
import type { Arch } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { run } from "./run.ts";

/** A dynamic library of that assembly, made in `folder`.
 *
 * @param more further options of the assembler and of the linker
 */
export async function assembled(
  arch: Arch,
  assembly: string,
  folder: string,
  more: { readonly assembler?: readonly string[]; readonly linker?: readonly string[] } = {},
): Promise<Image> {
  await Deno.writeTextFile(`${folder}/code.s`, assembly);
  const target = ["-target", `${arch.name}-apple-macos11`];
  await run("clang-19", [...target, ...more.assembler ?? [], "-c", "code.s"], folder);
  await run("ld64.lld-19", [
    ...["-arch", arch.name, "-platform_version", "macos", "11.0", "11.0", "-dylib"],
    ...[...more.linker ?? [], "-o", "code", "code.o"],
    new URL("../fixtures/sdk/libSystem.tbd", import.meta.url).pathname,
  ], folder);
  return Image.fromFile(await Deno.readFile(`${folder}/code`), "code", { arch: arch.cpuType });
}
