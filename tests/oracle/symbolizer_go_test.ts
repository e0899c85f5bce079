import { assert, assertEquals } from "@std/assert";
import { compareChains, openSubject, randomOffsets } from "./symbolizer.ts";

const program = `package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type shape interface{ area() int }
type square struct{ side int }

func (s square) area() int { return s.side * s.side }

func total(shapes []shape) (sum int) {
	for _, s := range shapes {
		sum += s.area()
	}
	return
}

func main() {
	words := strings.Fields("the quick brown fox")
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	fmt.Fprintln(os.Stdout, words, total([]shape{square{2}, square{3}}))
}
`;
import { run } from "./run.ts";

/** Builds the program for Darwin; where its code is does not depend on whether DWARF is compressed. */
async function build(directory: string, arch: string, compressed: boolean): Promise<string> {
  const path = `${directory}/${arch}${compressed ? "-compressed" : ""}`;
  await run(
    "go",
    ["build", `-ldflags=-compressdwarf=${compressed}`, "-o", path, "main.go"],
    directory,
    {
      env: { GOOS: "darwin", GOARCH: arch, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" },
    },
  );
  return path;
}

Deno.test("Go programs for Darwin: as llvm-symbolizer has them, compressed or not", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/main.go`, program);
    for (const arch of ["arm64", "amd64"]) {
      const path = await build(directory, arch, false);
      using plain = openSubject(path);
      const offsets = randomOffsets(plain, 4000);
      const { inlined } = await compareChains(plain, offsets, path);
      assert(inlined > 400);
      // llvm-symbolizer does not read compressed sections of Mach-O files.
      using compressed = openSubject(await build(directory, arch, true));
      assertEquals(compressed.code, plain.code);
      await compareChains(compressed, offsets, path);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
