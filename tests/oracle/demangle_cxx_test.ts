/** Compares the texts of C++ names with those of llvm-cxxfilt, for what clang makes of
 * demangle_names.cpp. Return types of function templates are not shown here: the library leaves them
 * out, wherever they are. */

import { assert, assertEquals } from "@std/assert";
import { demangle, loadDemangler } from "../../mod.ts";
import { run } from "./run.ts";

Deno.test("C++ names as llvm-cxxfilt has them", async () => {
  const object = await Deno.makeTempFile({ suffix: ".o" });
  try {
    const source = new URL("demangle_names.cpp", import.meta.url).pathname;
    const target = ["-target", "arm64-apple-macos11", "-std=c++17", "-w", "-c", "-o", object];
    await run("clang++-19", [...target, source]);
    const names = (await run("llvm-nm-19", ["--no-demangle", "--format=just-symbols", object]))
      .split("\n").filter((name) => /^_+Z/.test(name)).map((name) => name.replace(/^_/, ""));
    const texts = (await run("llvm-cxxfilt-19", [], undefined, { input: names.join("\n") }))
      .trimEnd().split("\n");
    assert(names.length > 60);
    assertEquals(texts.length, names.length);
    await loadDemangler();
    const different = names.flatMap((name, index) => {
      const ours = demangle(name), theirs = texts[index];
      if (ours === theirs || theirs.endsWith(` ${ours}`)) return [];
      return [{ name, ours, theirs }];
    });
    assertEquals(different, []);
  } finally {
    await Deno.remove(object);
  }
});
