/** Call-frame information that is not where the image is: in its dSYM, or compressed. */
import { assert, assertEquals } from "@std/assert";
import { deflateSync } from "node:zlib";
import { arm64, readRegister, x86_64 } from "../../../lib/arch/mod.ts";
import { CallFrameInfo } from "../../../lib/dwarf/mod.ts";
import { Image, type LoadedImage, type Section } from "../../../lib/macho/mod.ts";
import { DebugProvider, SymbolFiles, Symbolizer } from "../../../lib/symbols/mod.ts";
import type { DebugSection } from "../../../lib/symbols/mod.ts";
import { describeRow, type UnwindImages, unwindPlan } from "../../../lib/unwind/mod.ts";
import { FileTree } from "../symbols/file_tree.ts";
import { framesOf } from "./stack.ts";
import { cieBody, number, SectionBuilder } from "../dwarf/section.ts";
import { readSteps } from "../../fixtures/steps/x86_steps.ts";

const lines = new URL("../../fixtures/lines/arm64-dwarf4/", import.meta.url).pathname;

/** The file, of which no section has unwind information any more. */
function withoutUnwindInformation(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(file);
  for (const name of ["__unwind_info", "__eh_frame"]) {
    const at = new TextDecoder("latin1").decode(bytes.subarray(0, 8192)).indexOf(`${name}\0`);
    if (at >= 0) bytes[at] = "x".charCodeAt(0);
  }
  return bytes;
}

function sectionOf(image: Image, name: string): Section {
  return image.segments.flatMap(({ sections }) => sections).find((one) => one.name === name)!;
}

Deno.test("the __debug_frame of a dSYM is used where the image has no unwind information", () => {
  const slide = 0x1234_0000n;
  const file = Deno.readFileSync(`${lines}lines`);
  const image = (bytes: Uint8Array): Image =>
    Image.fromFile(bytes, "lines", {
      loadAddress: Image.fromFile(bytes, "lines").loadAddress + slide,
    });
  const dsym = Image.fromFile(
    Deno.readFileSync(`${lines}lines.dSYM/Contents/Resources/DWARF/lines`),
    "lines.dSYM",
  );
  const section = sectionOf(dsym, "__debug_frame");
  const debugFrame: DebugSection = {
    bytes: dsym.read(section.address, section.size)!,
    address: section.address + slide,
    slide,
  };
  const truth = CallFrameInfo.parse(debugFrame.bytes, {
    ...debugFrame,
    ...{ pointerSize: 8, kind: "debug_frame", warn: (text) => assert(false, text) },
  });
  const asked: string[] = [];
  const target = (bytes: Uint8Array): UnwindImages & { arch: typeof arm64 } => {
    const own = image(bytes);
    return {
      arch: arm64,
      imageAt: (address) => new Symbolizer([own]).imageAt(address),
      debugSection(image, name) {
        assertEquals(image, own);
        asked.push(name);
        return debugFrame;
      },
    };
  };
  const bare = target(withoutUnwindInformation(file));
  const whole = target(file);
  let count = 0;
  for (const { start, end } of truth.fdes) {
    // The last instruction before a return is in an epilogue: look into the middle.
    const middle = start + (end - start) / 8n * 4n;
    const row = truth.rowAt(middle)!;
    assertEquals(unwindPlan(bare, middle).caller, {
      foundBy: "cfi",
      rule: describeRow(arm64, row),
    });
    count++;
  }
  assert(count >= 5, `${count} functions`);
  assertEquals(asked, ["__debug_frame"]);
  // What the image tells itself is not looked for elsewhere.
  const [hash] = image(file).findSymbols("plain_hash");
  assertEquals(unwindPlan(whole, hash.address + 16n).caller?.foundBy, "compact-unwind");
  assertEquals(asked.length, 1);
});

/** A step in the body of a function without a frame pointer, and a section that tells of it. */
function frameless() {
  const { file, loadAddress, steps } = readSteps("x86_64").find(({ name }) =>
    name === "-O2 -fomit-frame-pointer"
  )!;
  const image = Image.fromFile(file, "steps", { loadAddress });
  const step = [...steps()].find(({ pc, caller, state }) =>
    image.symbolAt(pc)?.symbol?.name === "saves_registers" &&
    caller.get(x86_64.sp.dwarf!)! - readRegister(state, x86_64.sp) > 64n
  )!;
  const { symbol } = image.symbolAt(step.pc)!;
  const depth = Number(step.caller.get(x86_64.sp.dwarf!)! - readRegister(step.state, x86_64.sp));
  const builder = new SectionBuilder("debug_frame");
  const cie = builder.cie(cieBody({ augmentation: "", data: [] }));
  const { address, size } = symbol!;
  builder.fde(cie, [
    ...number(address - image.slide, 8),
    ...number(size, 8),
    0x0e,
    depth & 0x7f | 0x80,
    depth >> 7,
  ]);
  return { file, loadAddress, step, section: Uint8Array.from(builder.bytes) };
}

function callerOf(image: Image, { step }: ReturnType<typeof frameless>, debug?: DebugSection) {
  const symbolizer = new Symbolizer([image]);
  const { state, stack, stackAddress } = step;
  return framesOf({
    arch: x86_64,
    images: {
      imageAt: (address) => symbolizer.imageAt(address),
      resolve: (address) => symbolizer.resolve(address),
      debugSection: () => debug ?? null,
    },
    ...{ state, stack, stackAddress, readInto: undefined },
    stackEnd: stackAddress + BigInt(stack.length),
  }, { limit: 2 })[1];
}

Deno.test("a walk goes by a dSYM's __debug_frame", () => {
  const known = frameless();
  const { file, loadAddress, step, section } = known;
  const image = Image.fromFile(withoutUnwindInformation(file), "steps", { loadAddress });
  const caller = callerOf(image, known, {
    ...{ bytes: section, address: 0n, slide: image.slide },
  });
  assertEquals([caller?.foundBy, caller?.address], ["cfi", step.returnAddress]);
  // Without it the instructions tell.
  const alone = Image.fromFile(withoutUnwindInformation(file), "steps", { loadAddress });
  assertEquals([callerOf(alone, known)?.foundBy, callerOf(alone, known)?.address], [
    "prologue",
    step.returnAddress,
  ]);
});

Deno.test("unwindPlan asks a dSYM too, before any walk did", () => {
  const { file, loadAddress, step, section } = frameless();
  const image = Image.fromFile(withoutUnwindInformation(file), "steps", { loadAddress });
  const symbolizer = new Symbolizer([image]);
  const address = readRegister(step.state, x86_64.pc);
  const plan = (debug: DebugSection | null) =>
    unwindPlan({
      arch: x86_64,
      imageAt: (address) => symbolizer.imageAt(address),
      debugSection: () => debug,
    }, address).caller?.foundBy;
  assertEquals(plan({ bytes: section, address: 0n, slide: image.slide }), "cfi");
});

Deno.test("a failed search for a dSYM is remembered until there may be more, then plans are made anew", () => {
  const known = frameless();
  const { file, loadAddress, step, section } = known;
  const image = Image.fromFile(withoutUnwindInformation(file), "steps", { loadAddress });
  const symbolizer = new Symbolizer([image]);
  const { state, stack, stackAddress } = step;
  let asked = 0;
  const found = (debug: DebugSection | null, debugGeneration: number) => {
    const caller = framesOf({
      arch: x86_64,
      images: {
        imageAt: (address) => symbolizer.imageAt(address),
        resolve: (address) => symbolizer.resolve(address),
        debugSection() {
          asked++;
          return debug;
        },
        debugGeneration,
      },
      ...{ state, stack, stackAddress, readInto: undefined },
      stackEnd: stackAddress + BigInt(stack.length),
    }, { limit: 2 })[1];
    assertEquals(caller.address, step.returnAddress);
    return caller.foundBy;
  };
  const debug = { bytes: section, address: 0n, slide: image.slide };
  assertEquals([found(null, 1), asked], ["prologue", 1]);
  assertEquals([found(debug, 1), asked], ["prologue", 1]);
  assertEquals([found(debug, 2), asked], ["cfi", 2]);
  // What was found stays.
  assertEquals([found(null, 3), asked], ["cfi", 2]);
});

Deno.test("a folder named later brings the dSYM's __debug_frame to the unwinder", () => {
  const dsym = `${lines}lines.dSYM/Contents/Resources/DWARF/lines`;
  const tree = new FileTree({ "/later/lines": Deno.readFileSync(dsym) });
  const image = Image.fromFile(
    withoutUnwindInformation(Deno.readFileSync(`${lines}lines`)),
    "/lines",
  );
  using debug = new DebugProvider({ files: tree }, new SymbolFiles(tree, []));
  const symbolizer = new Symbolizer([image], debug);
  const target = {
    arch: arm64,
    imageAt: (address: bigint) => symbolizer.imageAt(address),
    debugSection: (image: LoadedImage, name: string) => symbolizer.debugSection(image, name),
    get debugGeneration() {
      return symbolizer.debugGeneration;
    },
  };
  const functions = ["main", "_ZN6shapes7measureERKNS_5ShapeEi"].flatMap((name) =>
    image.findSymbols(name)
  );
  assertEquals(functions.length, 2);
  const plans = () =>
    functions.map(({ address }) => unwindPlan(target, address + 8n).caller?.foundBy);
  assert(plans().every((foundBy) => foundBy === "prologue" || foundBy === "link-register"));
  debug.addFolders(["/later"]);
  assertEquals(plans(), ["cfi", "cfi"]);
});

Deno.test("a compressed __zdebug_frame, as Go's linker makes it, and a damaged one", () => {
  const known = frameless();
  const { file, loadAddress, step, section } = known;
  const packed = deflateSync(section);
  const zlib = [..."ZLIB"].map((letter) => letter.charCodeAt(0));
  const length = number(section.length, 8).reverse();
  for (const damage of [false, true]) {
    const bytes = withoutUnwindInformation(file);
    // __const and its like are of no use here: one of the sections is to be __DWARF,__zdebug_frame.
    const image = Image.fromFile(bytes, "steps", { loadAddress });
    const place = image.segments.flatMap(({ sections }) => sections)
      .find(({ name, size }) => name.startsWith("x") && size >= packed.length + 12)!;
    assert(place !== undefined);
    bytes.set([...zlib, ...length, ...packed], place.fileOffset);
    if (damage) bytes.fill(0xff, place.fileOffset + 14, place.fileOffset + 24);
    const header = new TextDecoder("latin1").decode(bytes.subarray(0, 8192));
    const at = header.indexOf(place.name);
    bytes.fill(0, at, at + 32);
    bytes.set(new TextEncoder().encode("__zdebug_frame"), at);
    bytes.set(new TextEncoder().encode("__DWARF"), at + 16);
    const changed = Image.fromFile(bytes, "steps", { loadAddress });
    const caller = callerOf(changed, known);
    assertEquals(caller?.address, step.returnAddress);
    assertEquals(caller?.foundBy, damage ? "prologue" : "cfi");
    assertEquals(changed.warnings.length, damage ? 1 : 0);
  }
});
