/** Reports composed by hand in every form, and what tests do with them. */
import { type AddressInfo, type SourceFrame, unknownAddress } from "../../../lib/symbols/mod.ts";
import type { CrashReport } from "../../../lib/report/mod.ts";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";

const folder = new URL("../../fixtures/reports/", import.meta.url);

/** The files of the fixtures. */
export const names: readonly string[] = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .sort();

/** A fixture's bytes. */
export function bytesOf(name: string): Uint8Array {
  return Deno.readFileSync(new URL(name, folder));
}

/** A fixture's text. */
export function textOf(name: string): string {
  return new TextDecoder().decode(bytesOf(name));
}

/** A fixture, read. */
export function read(name: string): CrashReport {
  return readReport(bytesOf(name), name);
}

/** What a report says, in what can be compared: frames by their places and names. */
export function essence(report: CrashReport): unknown {
  const frames = (list: CrashReport["stacks"][number]): unknown[] =>
    list.map(({ address, image, symbol, offset, file, line, inlined }) => [
      `0x${address.toString(16)}`,
      image?.uuid ?? null,
      symbol,
      offset,
      file?.split("/").at(-1) ?? null,
      line,
      inlined,
    ]);
  return {
    process: [report.process.name, report.process.pid, report.process.path],
    identity: [report.process.identifier, report.process.version, report.process.parent],
    system: [report.arch, report.model, report.osVersion, report.date, report.incident],
    exception: report.exception === null ? null : [
      report.exception.type,
      report.exception.signal,
      report.exception.codes,
      report.exception.message,
    ],
    termination: report.termination === null
      ? null
      : [report.termination.namespace, report.termination.code, report.termination.reasons],
    information: report.information,
    lastException: report.lastException === null ? null : frames(report.lastException),
    threads: report.threads.map((thread) => [
      thread.name,
      thread.queue,
      thread.crashed,
      frames(thread.frames),
    ]),
    registers: Object.fromEntries(
      report.crashedThread?.registers.map(({ name, value }) => [
        // A text calls them by shorter names than JSON.
        name.replace(/^([re]fl)ags$/, "$1"),
        value,
      ]) ?? [],
    ),
    images: report.images.filter(({ uuid }) => uuid !== null).map((image) => [
      image.uuid,
      image.base,
      image.size,
      image.path,
    ]),
  };
}

/** Lines of frames as Apple's texts have them, of `Shop -[Cart add:] + 8`. Blanks of an image's name are `~`; an address
 * may stand before it.
 *
 * @param base address of the first one; the others follow 64 bytes apart
 * @param first number of the first one
 */
export function frameLines(frames: readonly string[], base = 0x1_0000_4000, first = 0): string[] {
  return frames.map((frame, at) => {
    const [, address = `0x${(base + at * 0x40).toString(16).padStart(16, "0")}`, image, symbol] =
      /^(?:(0x[0-9a-f]{1,16}) )?(\S{1,80}) ?(.*)$/.exec(frame)!;
    const name = image.replaceAll("~", " ").padEnd(30);
    return `${String(first + at).padEnd(3)} ${name}\t${address} ${symbol}`;
  });
}

/** What is known at an offset in an image: a function `offset` bytes before it. */
export function place(
  at: number,
  symbol: string,
  offset: number,
  frames: readonly SourceFrame[] = [],
): AddressInfo {
  const address = BigInt(at - offset);
  const found = { name: symbol, rawName: `_${symbol}`, address, size: 0 } as AddressInfo["symbol"];
  return { ...unknownAddress, symbol: found, offset, functionStart: address, frames };
}

/** What is told of a text. */
export interface Told {
  readonly what: string;
  readonly causes: string;
  readonly next: string;
  readonly whose: readonly [verdict: string, absent: string | null, symbol: string | null];
  readonly threads: readonly (readonly [index: number, name: string | null, crashed: boolean])[];
}

/** Reads and explains a text. */
export function told(text: string): Told {
  const report = readReport(text, "x");
  const { happened, causes, check } = explainReport(report);
  const { verdict, absent, deciding } = attributeReport(report);
  return {
    what: happened.join("\n"),
    causes: causes.join("\n"),
    next: check.join("\n"),
    whose: [verdict, absent, deciding?.frame.symbol ?? null],
    threads: report.threads.map(({ index, name, queue, crashed }) => [
      index,
      name ?? queue,
      crashed,
    ]),
  };
}
