/** Whose code a function is that is linked into a program, or whose library it is in: by names and source files. */

import { demangle, isMangled } from "../../symbols/demangle/demangle.ts";
import { titleOf } from "../images.ts";
import { companionOf, known, knownVendor } from "../knowledge/mod.ts";
import type { CrashReport } from "../report.ts";
import { makerOfFile } from "./evidence.ts";
import { isLibrary } from "./own_image.ts";
import type { OwnedFrame } from "./owner.ts";
import { functionOf, isOfMethod } from "./stack.ts";

/** Whose code a function is, as an attribution has it. */
interface Maker {
  readonly maker: string | null;
  readonly isOfFile: boolean;
  readonly isOfCaller: boolean;
}

/** That nothing does. */
export const noMaker: Maker = { maker: null, isOfCaller: false, isOfFile: false };

/** Whose code the deciding function is, where that is not known by its image. */
export function makerOfDeciding(
  frames: readonly OwnedFrame[],
  at: number,
  report: CrashReport,
): Maker {
  const named = isLibrary(frames[at].frame, report) === false
    ? makerOf(frames, at)
    : makerOfLibrary(frames, at, report);
  if (named.maker !== null) return { ...named, isOfFile: false };
  const maker = makerOfFile(frames[at].frame.file);
  return { maker, isOfCaller: false, isOfFile: maker !== null };
}

/** Whose code a function that is linked into the program is, by its name; that of a template, by its caller's. */
function makerOf(
  frames: readonly OwnedFrame[],
  at: number,
): Omit<Maker, "isOfFile"> {
  const maker = makerOfFrame(frames, at);
  const next = frames[at + 1];
  if (
    maker !== null || next === undefined || next.library !== frames[at].library ||
    !/^\w{1,60}</.test(frames[at].frame.symbol ?? "")
  ) return { maker, isOfCaller: false };
  return { maker: makerOfFrame(frames, at + 1), isOfCaller: true };
}

/** Whose library it is, by its file's name; else whose the function is, where the image may be the program's. */
function makerOfLibrary(
  frames: readonly OwnedFrame[],
  at: number,
  report: CrashReport,
): Omit<Maker, "isOfFile"> {
  // Unity's library has what IL2CPP made of the program's own methods, too.
  const { frame } = frames[at];
  if (
    isOfMethod(frame.symbol ?? "") ||
    (titleOf(frame) === "UnityFramework" && functionOf(frame, null) === null)
  ) return { maker: null, isOfCaller: false };
  const sdk = known("sdk", titleOf(frames[at].frame).replace(/\.framework$/, ""));
  if (sdk !== null) {
    // It may have further libraries in it, of which the function's name tells.
    const symbol = functionOf(frames[at].frame, null);
    const inner = symbol === null ? null : knownVendor(symbol);
    return { maker: (inner ?? sdk).meaning, isOfCaller: false };
  }
  return isLibrary(frames[at].frame, report) === true
    ? { maker: null, isOfCaller: false }
    : makerOf(frames, at);
}

function makerOfFrame(frames: readonly OwnedFrame[], at: number): string | null {
  const { frame } = frames[at];
  const symbol = functionOf(frame, null);
  if (symbol === null) return null;
  const vendor = knownVendor(symbol) ?? knownVendor(frame.symbol!);
  if (vendor !== null && !isOfOwnName(symbol, vendor.key, titleOf(frame))) return vendor.meaning;
  const companion = companionOf(symbol, frames.map(({ frame }) => frame.symbol));
  if (companion !== null) return companion;
  const crate = crateOf(frame.symbol!);
  if (crate === null || titleOf(frame).replaceAll("-", "_").includes(crate)) return null;
  // The program's own crate is among those that called it, and may have another name than the program.
  const isCalled = frames.slice(at + 1).some(({ frame: { symbol } }) => {
    const other = symbol === null ? null : crateOf(symbol) ?? crateOfMain(symbol);
    return other !== null && other !== crate;
  });
  return isCalled ? `the crate ${crate}` : null;
}

/** Whether a function has the name of its image, which itself begins with a library's prefix. */
function isOfOwnName(symbol: string, key: string, title: string): boolean {
  const own = title.replace(/\W.*$/s, "").toLowerCase();
  const prefix = key.replace(/\W/g, "").length;
  return own.length >= Math.max(prefix, 3) &&
    /[A-Za-z_]\w*/.exec(symbol.slice(0, 400))?.[0].toLowerCase().startsWith(own) === true;
}

/** The crate of the program's main function in Rust. */
function crateOfMain(symbol: string): string | null {
  return /^([a-z]\w{0,60})::main$/.exec(symbol)?.[1] ?? null;
}

/** The crate of a function of Rust: the first part of its path, or of the type's whose trait it implements. */
function crateOf(symbol: string): string | null {
  // Newer names have no hash, but mangling of their own.
  const isNewer = /^_{1,2}R[A-Z]/.test(symbol) && isMangled(symbol);
  if (
    !isNewer && !/::h[0-9a-f]{1,16}$/.test(symbol.slice(-24)) && !symbol.includes("::{{")
  ) return null;
  const name = isNewer ? demangle(symbol) : symbol;
  const crate = /^(?:_?(?:<|\$LT\$))?([a-z]\w{0,60})::/.exec(name)?.[1] ?? null;
  return crate === null || /^(?:std|core|alloc)$/.test(crate) ? null : crate;
}
