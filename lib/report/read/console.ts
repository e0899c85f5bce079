/** Reading what language run-times and sanitizers print themselves when they end a process, where no report of the
 * system's is there. */

import type { ReportException, ReportFrame, ReportThread } from "../drafts.ts";
import { baseName } from "../images.ts";
import { CrashReport, noException, noHeader } from "../report.ts";
import { Lines } from "../text.ts";
import { parseSource } from "./crash_lines.ts";

/** A frame, as far as a run-time prints it. */
interface ConsoleFrame {
  readonly address: bigint;
  readonly imageName: string | null;
  readonly symbol: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** What a run-time prints. */
interface Console {
  /** The line that says what happened; its first group is the message, whole without one. */
  readonly said: RegExp;
  /** Another line that must be there, if the first one is not distinctive. */
  readonly needs?: RegExp;
  /** A frame's line; `null` for others. `next` is the line after it. */
  frame(line: string, next: string): ConsoleFrame | null;
  /** Another line that tells. */
  readonly also?: RegExp;
  /** A line after the frames of the stack that tells, where others follow. */
  readonly ends?: RegExp;
}

function frameOf(
  symbol: string | null,
  place: string | null = null,
  address: string | null = null,
  image: string | null = null,
): ConsoleFrame {
  const source = place === null ? null : parseSource(place);
  return {
    address: address === null ? 0n : BigInt(address),
    imageName: image === null ? null : baseName(image),
    symbol,
    file: source?.file ?? null,
    line: source?.line ?? null,
  };
}

/** Where a run-time names no file, the name that stands for its own code. */
const standardLibrary = "standard library";

const consoles: readonly Console[] = [
  {
    // LLVM, compiler-rt/lib/sanitizer_common
    said: /^==\d{1,9}==\s?(?:ERROR|WARNING): (\w{2,20}Sanitizer: .{1,300})$/m,
    frame(line) {
      const match = /^\s{2,8}#\d{1,4} (0x[0-9a-f]{1,16})(?: in (.{1,600}))?$/.exec(line);
      if (match === null) return null;
      const [, address, rest = ""] = match;
      const module =
        / ?\(([^()+]{1,300}?)(?::\w{2,10})?\+0x[0-9a-f]{1,16}\)(?: \(BuildId: \w{1,64}\))?$/.exec(
          rest,
        );
      const named = module === null ? rest : rest.slice(0, module.index);
      const place = / (\S{1,300}:\d{1,7}(?::\d{1,5})?)$/.exec(named);
      const name = (place === null ? named : named.slice(0, place.index)).replace(
        /\+0x[0-9a-f]{1,16}$/,
        "",
      );
      return frameOf(name === "" ? null : name, place?.[1] ?? null, address, module?.[1] ?? null);
    },
    ends: /^\s*$/,
  },
  {
    // Go, src/runtime/panic.go
    said: /^((?:panic|fatal error|runtime): .{1,400}|SIG[A-Z]{2,5}: .{1,100})$/m,
    needs: /^(?:goroutine \d{1,12} |runtime stack:|\[signal SIG)/m,
    also: /^signal arrived during (?:cgo|external code) execution$/m,
    frame(line, next) {
      const name = /^([\w./*()·%-]{2,300})\(.{0,300}\)$/.exec(line)?.[1];
      const place =
        /^\s{1,8}(\S{1,400}:\d{1,7})(?: \+0x[0-9a-f]{1,16})?(?: (?:fp|sp|pc)=0x[0-9a-f]{1,16}){0,3}$/
          .exec(next)?.[1];
      if (name === undefined || place === undefined) return null;
      // A package outside of the standard library begins with a domain, or is main.
      const slash = name.lastIndexOf("/");
      const path = name.slice(0, name.indexOf(".", slash + 1));
      const isOwn = path === "main" || path.split("/", 1)[0].includes(".");
      return frameOf(name, place, null, isOwn ? path : standardLibrary);
    },
    ends: /^\s*$/,
  },
  {
    // Rust, library/std/src/panicking.rs and backtrace.rs
    said: /^(thread '.{1,100}' (?:\(\d{1,12}\) )?panicked at .{1,400}?(?::\n.{1,400})?)$/m,
    frame(line, next) {
      const match = /^\s{1,6}\d{1,4}:\s{1,8}(?:(0x[0-9a-f]{1,16}) - )?(\S.{0,600})$/.exec(line);
      if (match === null) return null;
      const place = /^\s{6,40}at (\S{1,400}:\d{1,7}:\d{1,5})$/.exec(next)?.[1] ?? null;
      const crate = /^<?(?:&mut |&|dyn )?(\w{1,100})::/.exec(match[2])?.[1];
      const isOwn = crate !== undefined && !/^(?:std|core|alloc)$/.test(crate) &&
        !/^\/rustc\//.test(place ?? "");
      return frameOf(match[2], place, match[1] ?? null, isOwn ? crate : standardLibrary);
    },
  },
  {
    // CPython, Python/pylifecycle.c and Modules/faulthandler.c
    said: /^(Fatal Python error: .{1,300})$/m,
    frame(line) {
      const match = /^\s{1,6}File "(.{1,400})", line (\d{1,7}) in (\S{1,200})$/.exec(line);
      if (match === null) return null;
      const isOwn = !/\/lib\/python\d\.\d{1,2}\/(?!site-packages\/)|^<frozen /.test(match[1]);
      return frameOf(
        match[3],
        `${match[1]}:${match[2]}`,
        null,
        isOwn ? match[1] : standardLibrary,
      );
    },
    ends: /^\s*$/,
  },
  {
    // V8, src/api/api.cc; Node.js, src/node_errors.cc
    said: /^((?:FATAL ERROR: .{1,300}|# Fatal error in .{1,200}\n# .{1,300}))$/m,
    frame(line) {
      const match = /^\s{0,4}\d{1,3}: (0x[0-9a-f]{1,16}) (\S.{0,600}?)(?: \[(.{1,300})\])?$/.exec(
        line,
      );
      return match === null ? null : frameOf(match[2], null, match[1], match[3] ?? null);
    },
  },
  {
    // OpenJDK, src/hotspot/share/utilities/vmError.cpp
    said:
      /^[ \t>]{0,8}(?:\[\w{4,7}\] )?(?:# )?(A fatal error has been detected by the Java Runtime Environment|There is insufficient memory for the Java Runtime Environment to continue)/m,
    frame(line) {
      const match =
        /^[ \t>]{0,8}(?:\[\w{4,7}\] )?(?:# )?([CJjVvA]) {2}(?:\[(.{1,200}?)\+0x[0-9a-f]{1,16}\] {0,4})?(\S.{0,300})?$/
          .exec(
            line,
          );
      if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
      const symbol = (match[3] ?? "").replace(/\+0x[0-9a-f]{1,16}$/, "");
      return frameOf(symbol === "" ? null : symbol, null, null, match[2] ?? null);
    },
    ends: /^(?:\[\w{4,7}\])?\s*#?\s*$/,
  },
  {
    // .NET, src/coreclr/vm/excep.cpp; Mono, mono/metadata/object.c
    said:
      /^(Unhandled [Ee]xception[.:].{1,400}|Unhandled Exception:\s{1,4}\S.{1,400}|Process terminated\. .{1,300}|Fatal error\. .{1,300})$/m,
    frame(line) {
      const match = /^\s{2,8}at (\S.{0,500}?)(?: in (.{1,400}):line (\d{1,7}))?$/.exec(line);
      if (match === null) return null;
      const space = /^([A-Za-z_]\w{0,80})\./.exec(match[1])?.[1];
      const isOwn = space !== undefined &&
        !/^(?:System|Microsoft|Mono|Internal|Interop)$/.test(space);
      return frameOf(
        match[1],
        match[2] === undefined ? null : `${match[2]}:${match[3]}`,
        null,
        isOwn ? space : standardLibrary,
      );
    },
  },
];

/** Characters that are looked at for the line that says what happened. */
const PROBED = 1 << 15;
/** Most frames that are read. */
const MAX_FRAMES = 512;

/** Lines of the system's reports: where one is there, it says more. */
const ofSystem =
  /^[ \t>]{0,8}(?:Exception Type|Incident Identifier|Process|Crashed Thread):|^[ \t]{0,8}Thread \d{1,5} (?:Crashed|name)/m;

function consoleOf(text: string, from: number): { console: Console; said: RegExpExecArray } | null {
  const head = text.slice(from, from + PROBED);
  for (const console of consoles) {
    const said = console.said.exec(head);
    if (said !== null && (console.needs === undefined || console.needs.test(head))) {
      return { console, said };
    }
  }
  return null;
}

/** Whether a text is a run-time's and has no report of the system's. */
export function isConsole(text: string, from: number): boolean {
  return consoleOf(text, from) !== null && !ofSystem.test(text.slice(from, from + (1 << 18)));
}

/** The signal or address that the same text names. */
function exceptionIn(text: string): ReportException | null {
  const signal =
    /(?:^[ \t>]{0,8}(?:\[\w{4,7}\] )?#? {0,3}|\[signal )(SIG(?:SEGV|BUS|ILL|ABRT|TRAP|FPE))\b/m
      .exec(
        text,
      )?.[1];
  return signal === undefined ? null : { ...noException, signal };
}

/** Reads a run-time's text. */
export function readConsole(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const { console, said } = consoleOf(text, from)!;
  const lines = new Lines(text, from);
  const frames: ReportFrame[] = [];
  for (let at = 0; at < lines.length && frames.length < MAX_FRAMES; at++) {
    const line = lines.line(at).trimEnd();
    const frame = line.length > 1200
      ? null
      : console.frame(line, at + 1 < lines.length ? lines.line(at + 1).trimEnd() : "");
    if (frame !== null) {
      frames.push({
        ...frame,
        index: frames.length,
        image: null,
        offset: null,
        column: null,
        inlined: false,
        span: null,
      });
    } else if (frames.length > 0 && console.ends?.test(line) === true) break;
  }
  const also = console.also?.exec(text.slice(from, from + PROBED))?.[0];
  const thread: ReportThread = {
    // The sanitizers': `SEGV on unknown address 0x10 (pc 0x1 bp 0x2 sp 0x3 T6)`.
    index: Number(/ T(\d{1,6})\)$/.exec(said[1])?.[1] ?? 0),
    id: null,
    name: null,
    queue: null,
    crashed: true,
    frames,
    registers: [],
    flavor: null,
    process: null,
    tree: [],
  };
  return new CrashReport({
    ...noHeader,
    format: "crash",
    file,
    text,
    exception: exceptionIn(text.slice(from, from + PROBED)),
    information: [said[1].replace(/\s*\n#?\s*/g, " "), ...also === undefined ? [] : [also]],
    threads: frames.length === 0 ? [] : [thread],
    warnings: frames.length === 0 ? [...warnings, "there are no threads in the report"] : warnings,
  });
}
