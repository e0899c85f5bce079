/**
 * Symbolicates a list of addresses: functions, files and lines, inlined calls included.
 *
 *     deno task machpause run examples/symbolicate.ts <image> [address…]
 *
 * Without addresses it reads them from stdin, one a line. For 0x10000061c, 0x100000651 and 0x1 in the
 * dSYM of the inlines fixture it prints:
 *
 *     0x10000061c  inlines
 *       innermost  /src/inlines/main.c:13  inlined
 *       middle  /src/inlines/main.c:21  inlined
 *       outer  /src/inlines/main.c:26
 *     0x100000651  inlines
 *       helper::Doubler<int>::call(int, int (*)(int)) const  /src/inlines/helper.cpp:11
 *     0x1  in no image
 */
import { demangle, escapeText, loadDemangler, openSymbolizer } from "@machpause/machpause";

if (Deno.args.length === 0) {
  console.error("usage: symbolicate.ts <image> [address…]");
  Deno.exit(2);
}
const [path, ...given] = Deno.args;
const addresses = given.length > 0
  ? given
  : (await new Response(Deno.stdin.readable).text()).split("\n").filter((line) => line !== "");

await loadDemangler();
using symbolizer = openSymbolizer([{ path }]);
for (const text of addresses) {
  const { image, frames } = symbolizer.resolve(BigInt(text));
  console.log(`${escapeText(text)}  ${image === null ? "in no image" : escapeText(image.name)}`);
  for (const { function: name, location, inlined } of frames) {
    const place = location === null ? "" : `  ${escapeText(location.file)}:${location.line}`;
    console.log(`  ${escapeText(demangle(name))}${place}${inlined ? "  inlined" : ""}`);
  }
}
