/** Stripped Go programs: the functions of their own table against the symbols of the same program, not
 * stripped; and the frames that their instructions say, against the table from which Go's runtime
 * unwinds (`pcsp`: how far the stack pointer is below its place at the entry). */

import { assert, assertEquals } from "@std/assert";
import { archs } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { plansOf } from "../../lib/unwind/image_plans.ts";

const program = `package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	fmt.Fprintln(os.Stdout, strings.Fields("the quick brown fox"))
}
`;
import { run } from "./run.ts";

async function build(directory: string, arch: string, stripped: boolean): Promise<Image> {
  const path = `${directory}/${arch}${stripped ? "-stripped" : ""}`;
  await run(
    "go",
    ["build", ...stripped ? ["-ldflags=-s -w"] : [], "-o", path, "main.go"],
    directory,
    {
      env: { GOOS: "darwin", GOARCH: arch, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" },
    },
  );
  return Image.fromFile(await Deno.readFile(path), path);
}

function sectionOf(image: Image, name: string) {
  return image.segments.flatMap(({ sections }) => sections).find((s) => s.name === name)!;
}

/** Whether an instruction of arm64 is `bl` or `blr`. */
function isCall(bytes: Uint8Array): boolean {
  const word = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return word >>> 26 === 0b100101 || (word & 0xfffffc1f) >>> 0 === 0xd63f0000;
}

/** A range of addresses, and how far the stack pointer is below its place at the entry. */
interface Depth {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** The depths of all functions, by the table of Go 1.18 and later. */
function* depthsOf(image: Image): Generator<Depth> {
  const section = sectionOf(image, "__gopclntab");
  const bytes = image.read(section.address, section.size)!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  assert(view.getUint32(0, true) >= 0xfffffff0 && view.getUint32(0, true) <= 0xfffffff1);
  const quantum = bytes[6];
  const word = (index: number): number => Number(view.getBigUint64(8 + 8 * index, true));
  const text = word(2) || Number(sectionOf(image, "__text").vmAddress);
  const [programs, table] = [word(6), word(7)];
  for (let index = 0; index < word(0); index++) {
    const entry = (at: number): number => view.getUint32(table + 4 * at, true);
    let start = text + entry(2 * index);
    const end = text + entry(2 * index + 2);
    const program = view.getUint32(table + entry(2 * index + 1) + 16, true);
    if (program === 0) continue;
    let at = programs + program;
    const number = (): number => {
      let value = 0;
      for (let scale = 1;; scale *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    };
    for (let depth = -1; start < end;) {
      const change = number();
      depth += change % 2 === 1 ? -(change + 1) / 2 : change / 2;
      const next = start + quantum * number();
      yield { start, end: next, depth };
      start = next;
    }
  }
}

Deno.test("stripped Go programs: functions and frames as Go's own tables have them", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/main.go`, program);
    for (const goArch of ["arm64", "amd64"]) {
      const plain = await build(directory, goArch, false);
      const image = await build(directory, goArch, true);
      assert(image.hasFunctionStarts && image.warnings.length === 0);
      const text = sectionOf(plain, "__text");
      let named = 0;
      for (const { address } of plain.symbols) {
        if (address < text.address || address >= text.address + BigInt(text.size)) continue;
        const own = image.symbolAt(address);
        const theirs = plain.symbolAt(address);
        assertEquals(
          [own?.symbol?.name, own?.offset, own?.size],
          [theirs?.symbol?.name, theirs?.offset, theirs?.size],
        );
        named++;
      }
      assert(named > 1500, `${named} functions`);

      const arm = goArch === "arm64";
      const arch = arm ? archs.arm64 : archs.x86_64;
      const plans = plansOf(image, arch, { imageAt: () => image })!;
      const tally = { right: 0, none: 0, saved: 0, wrong: [] as string[] };
      for (const { start, end, depth } of depthsOf(image)) {
        // Each range begins with an instruction; where others do is not known for x86.
        for (let pc = start; pc < end; pc += arm ? 4 : Infinity) {
          const match = image.symbolAt(BigInt(pc));
          // Assembly: its frame pointers are anywhere, and data are no code.
          if (/\.abi0$|^debugCall|Crypto$/.test(match?.symbol?.name ?? "")) continue;
          // Between functions.
          if (image.read(BigInt(pc), arm ? 4 : 1)!.every((byte) => byte === (arm ? 0 : 0xcc))) {
            continue;
          }
          const row = plans.innermostAt(BigInt(pc))?.row;
          const cfa = row?.cfa;
          if (row === undefined || cfa === undefined) {
            tally.none++;
            continue;
          }
          // The frame pointer is saved just below the stack pointer on arm64, and below the return address
          // on x86.
          const wanted = cfa.kind !== "register"
            ? NaN
            : cfa.register === (arm ? 31 : 7)
            ? depth + (arm ? 0 : 8)
            : cfa.register === (arm ? 29 : 6)
            ? (arm ? depth + 8 : 16)
            : NaN;
          // `runtime.morestack` leaves the return address in no other register than the link register.
          const isElsewhere = arm && row.registers.get(30)?.kind === "register" && depth === 0;
          // A function that calls has stored its caller's frame pointer below its own frame (Go's
          // `cmd/internal/obj/arm64/obj7.go`).
          const calls = arm && depth > 0 && isCall(image.read(BigInt(pc), 4)!);
          const saved = row.registers.get(29);
          const isSaved = saved?.kind === "offset" && saved.offset === -depth - 8;
          if (calls && isSaved) tally.saved++;
          const isRight = cfa.kind === "register" && cfa.offset === wanted && !isElsewhere &&
            (!calls || isSaved);
          if (isRight) tally.right++;
          else tally.wrong.push(`${match?.symbol?.name}+${match?.offset}`);
        }
      }
      const { right, none, saved, wrong } = tally;
      console.log(`${goArch}: ${named} functions; ${right} places right, ${none} without a plan`);
      if (arm) assert(saved > 9000, `${saved} calls`);
      assertEquals(wrong, []);
      assert(right > (arm ? 100_000 : 4000) && none < right / 50, `${right}, ${none}`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
