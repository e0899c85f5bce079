/** A stub and the process it holds: what it can do, found by asking it, and what is asked of it. */
import { type Arch, archOn, withAddressBits } from "../arch/mod.ts";
import { TargetGoneError } from "../errors.ts";
import { hexBytes } from "../hex.ts";
import { log } from "../log.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { elements } from "./elements.ts";
import { RemoteError } from "./error.ts";
import {
  bytesOf,
  digitsOfText,
  fieldsOf,
  numberOf,
  textOfDigits,
  threadIdOf,
} from "./hexadecimal.ts";
import { textOf } from "./packet.ts";
import {
  archOfName,
  archOfProcess,
  archOfRegisters,
  maxRegisters,
  parseDescription,
  parseRegisterInfo,
  type PlacedRegister,
  placeRegisters,
  putRegister,
  type StubRegister,
} from "./registers.ts";
import { parseStop, type StopReply } from "./stop_reply.ts";
import type { ByteStream } from "./stream.ts";
import { bareThread, parseThreadList, parseThreadsInfo, type StubThread } from "./threads.ts";

/** Size of packets that every stub takes, in bytes. */
const leastPacket = 512;
/** Maximum number of bytes that one packet asks for. More is not faster, and some stubs cannot do what their
 * `PacketSize` says. */
const mostInPacket = 1 << 16;
/** Maximum size of one object read by `qXfer`, in bytes. */
const maxObject = 16 << 20;
/** Maximum number of pieces of such an object. */
const maxPieces = 4096;
/** Maximum number of files that a target description includes. */
const maxIncludes = 64;
/** Maximum size of a file that symbols are read from, in bytes. */
const maxFile = 1n << 40n;
/** Maximum number of threads. */
const maxThreads = 1 << 16;
/** Number of registers asked for at once by `qRegisterInfo`. */
const registerBatch = 128;

/** Characters of one thread's action in `vCont`: `;C05:` and a thread identifier, at most. */
const longestAction = 24;

const pageSize = 4096n;

/** Signals, by their numbers on Linux, on Darwin, and in gdb. */
interface Signals {
  readonly trap: number;
  readonly stop: number;
  /** Those of a program that has failed. */
  readonly faults: readonly number[];
  readonly last: number;
}
const linuxSignals: Signals = { trap: 5, stop: 19, faults: [4, 6, 7, 8, 11, 31], last: 64 };
const darwinSignals: Signals = { trap: 5, stop: 17, faults: [4, 6, 8, 10, 11, 12], last: 31 };
const gdbSignals: Signals = { trap: 5, stop: 17, faults: [4, 6, 8, 10, 11, 12], last: 0x8f };
const sigint = 2;
/** The first number that debugserver sends for a Mach exception that is no signal: `TARGET_EXC_*`. */
const firstException = 0x91;

/** A range of memory to read. */
export interface Wanted {
  readonly address: bigint;
  readonly length: number;
}

/** One region of the target's memory, as `qMemoryRegionInfo` tells it. */
export interface StubRegion {
  readonly start: bigint;
  readonly end: bigint;
  /** `VM_PROT_*`; `undefined` where nothing is mapped. */
  readonly protection: number | undefined;
  readonly path: string;
  readonly isStack: boolean;
}

/** The first stop of a target that was running. */
const neverStopped: StopReply = { signal: 0, thread: undefined, reason: "", ended: undefined };

/** A file of the stub's machine, as it numbers it. */
export interface StubFile {
  readonly descriptor: string;
  /** In bytes. */
  readonly size: number;
}

/** A part of a file. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/** How a stub is taken. */
export interface StubOptions extends ConnectionOptions {
  /** The process that it is to attach to, by pid or name, when it holds none. */
  readonly process?: number | string;
}

/** A stub. It starts with the target stopped. */
export class Stub implements Disposable {
  /** The connection, with its counts. */
  readonly connection: Connection;
  /** Process identifier of the target; 0 when the stub does not say. */
  readonly pid: number;
  /** The target's architecture. */
  readonly arch: Arch;
  /** `darwin`, `linux`, or empty when not known. */
  readonly system: "darwin" | "linux" | "";
  /** Name of the program; empty when not known. */
  readonly programName: string;
  /** Whether the stub lets the target run on when the connection is lost. */
  readonly detachesAlone: boolean;
  /** How the target had stopped when the connection was made. */
  readonly firstStop: StopReply;
  readonly #supported: ReadonlyMap<string, string>;
  readonly #host: ReadonlyMap<string, string>;
  readonly #process: ReadonlyMap<string, string>;
  readonly #threadSuffix: boolean;
  readonly #continues: boolean;
  readonly #packetSize: number;
  readonly #nonStop: boolean;
  /** `x` as LLDB's stubs know it, with data alone, or as gdb's, with a `b` before. */
  readonly #binary: "data" | "b" | undefined;
  readonly #registers: ReadonlyMap<number, StubRegister>;
  readonly #placed: readonly PlacedRegister[];
  readonly #readSize: number;
  readonly #signals: Signals;
  /** Whether all registers of a thread can be read by one request. */
  #readsAllRegisters = true;
  #knowsThreadsInfo = true;
  #running = false;
  #gone: TargetGoneError | undefined;
  #ended: string | undefined;
  readonly #onStop: (isStopped: boolean, detachesAlone: boolean) => void;
  /** Signals with which threads have stopped, to be delivered when they go on. */
  #signalsDue = new Map<bigint, number>();
  /** The threads that stay stopped when the others run. */
  readonly #held = new Set<bigint>();
  /** Whether the target would run if all its threads were not held. */
  #idle = false;
  /** The files that were opened. */
  readonly #openFiles: string[] = [];
  /** In non-stop mode, the threads that have reported a stop. */
  readonly #stopped = new Set<bigint>();

  /** Asks the stub what it can do.
   *
   * @param stream is closed when the stub is disposed, and when this throws
   * @param onStop is told when the target stops and runs
   * @throws RemoteError when it is no stub, or holds no process, or one that runs on another CPU
   */
  constructor(
    stream: ByteStream,
    options: StubOptions = {},
    onStop: (isStopped: boolean, detachesAlone: boolean) => void = () => {},
  ) {
    this.#onStop = onStop;
    const connection = this.connection = new Connection(stream, options);
    try {
      this.#supported = featuresOf(connection.request("qSupported:xmlRegisters=i386,arm"));
      connection.startNoAckMode();
      const [suffix, host, process, vCont, binary, version, attached, , held] = connection
        .requestAll(
          [
            "QThreadSuffixSupported",
            "qHostInfo",
            "qProcessInfo",
            "vCont?",
            "x0,0",
            "qGDBServerVersion",
            "qAttached",
            // gdbserver stays in the mode of the client before: there a missing process has the reply "OK" too.
            "QNonStop:0",
            "?",
            // Without this, debugserver kills its target when the connection is lost.
            "QSetDetachOnError:1",
          ],
        ).map(textOf);
      this.#threadSuffix = suffix === "OK";
      this.#host = fieldsOf(host);
      const attaches = holdsNone(held);
      if (attaches) this.#attach(options.process);
      this.#process = fieldsOf(attaches ? connection.request("qProcessInfo") : process);
      this.#continues = /^vCont(?:;\w)*;c\b/.test(vCont);
      this.#binary = this.#supported.has("binary-upload")
        ? "b"
        : binary === "OK"
        ? "data"
        : undefined;
      const isDebugserver = fieldsOf(version).get("name") === "debugserver";
      // debugserver's `g` fails or mixes up registers (Delve's gdbserver.go).
      if (isDebugserver) this.#readsAllRegisters = false;
      this.detachesAlone = this.#threadSuffix;
      const triple = textOfDigits(this.#process.get("triple") ?? "") ?? "";
      this.system = systemOf(this.#host, this.#process, triple, this.#supported);
      this.#signals = !this.#threadSuffix && !this.#supported.has("native-signals")
        ? gdbSignals
        : this.system === "darwin"
        ? darwinSignals
        : linuxSignals;
      // gdbserver answers an interrupt with a SIGINT for the whole process group of the target. Non-stop mode
      // stops the threads one by one instead.
      this.#nonStop = !this.#threadSuffix && this.#supported.has("QNonStop") &&
        /;t\b/.test(vCont) && connection.pipelines && connection.request("QNonStop:1") === "OK";
      const packetSize = Number(numberOf(this.#supported.get("PacketSize")) ?? BigInt(leastPacket));
      this.#packetSize = packetSize;
      this.#readSize = readSize(packetSize);
      const first = connection.request("?");
      if (holdsNone(first) || (first === "OK" && !this.#nonStop)) {
        throw new RemoteError("refused", "the stub holds no process any more");
      }
      this.#running = first === "OK";
      this.firstStop = first === "OK" ? neverStopped : parseStop(first);
      if (this.#running) this.#stopThreads();
      else if (this.#nonStop) this.#acknowledgeStops(first);
      else this.#note(first, true);
      // gdbserver describes the registers of the selected thread.
      if (!this.#threadSuffix) connection.request("Hg0");
      const { architecture, registers } = this.#description();
      this.#registers = registers;
      const arch = archOfProcess(this.#process, triple) ??
        (architecture === undefined ? undefined : archOfName(architecture)) ??
        archOfRegisters(registers.values());
      if (arch === undefined) {
        const name = architecture ?? (triple || "not known");
        throw new RemoteError(
          "refused",
          `the target's architecture is ${name}: machpause knows four`,
        );
      }
      // Linux's addresses have more bits than Darwin's.
      const onSystem = archOn(arch, this.system === "darwin" ? "darwin" : "linux");
      this.arch = withAddressBits(onSystem, this.#addressBits());
      this.#placed = placeRegisters(arch, registers);
      const places = new Set(this.#placed.map(({ field }) => field));
      if (!places.has(arch.pc) || !places.has(arch.sp)) {
        throw new RemoteError("refused", "the stub does not describe the target's registers");
      }
      this.pid = this.#findPid();
      this.programName = this.#findName();
      this.#passSignals();
      this.#onStop(true, this.detachesAlone);
      log.remote?.(
        `${isDebugserver ? "debugserver" : this.#threadSuffix ? "lldb-server" : "gdb stub"}, ` +
          `${arch.name}, pid ${this.pid}, ${registers.size} registers, ` +
          `${this.#readSize} bytes a read${this.#binary === undefined ? " as digits" : ""}, ` +
          `${this.#nonStop ? "non-stop" : "all-stop"}${attached === "0" ? ", launched by it" : ""}`,
      );
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  }

  /** Has a stub attach that holds no process. */
  #attach(process: number | string | undefined): void {
    if (process === undefined) {
      throw new RemoteError(
        "refused",
        "the stub holds no process: start it with one, or name one, as in HOST:PORT/NAME",
      );
    }
    // gdbserver attaches only in extended mode.
    const request = typeof process === "number"
      ? `vAttach;${process.toString(16)}`
      : `vAttachName;${digitsOfText(process)}`;
    const reply = textOf(this.connection.requestAll(["!", request])[1]);
    if (/^[TS]/.test(reply)) return;
    const why = textOfDigits(/^E[\da-fA-F]{2};(.*)$/.exec(reply)?.[1] ?? "") ||
      reply.replace(/^E\./, "");
    throw new RemoteError(
      "refused",
      reply === "" && typeof process === "string"
        ? "the stub attaches to no process by name: give its pid"
        : `the stub does not attach to ${process}${why === "" ? "" : `: ${why}`}`,
    );
  }

  /** Whether the target runs, as far as is known. */
  get running(): boolean {
    return this.#running;
  }

  /** How the target has ended; `undefined` while it runs, and where the stub did not say. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Whether the connection can still be used. */
  get usable(): boolean {
    return this.#gone === undefined && this.connection.usable;
  }

  /** How many bits an address of code has; 0 when the stub does not say. LLDB's stubs tell the number
   * (`lldbgdbremote.md`, qHostInfo), others have the kernel's mask as a register ("AArch64 Features" of
   * gdb's manual, and lldb-server's name). */
  #addressBits(): number {
    for (const fields of [this.#process, this.#host]) {
      const told = fields.get("low_mem_addressing_bits") ?? fields.get("addressing_bits");
      if (told !== undefined) return Number(told);
    }
    const mask = [...this.#registers.values()].find(({ name }) =>
      name === "pauth_cmask" || name === "code_mask"
    );
    if (mask === undefined || mask.size !== 8) return 0;
    const thread = this.firstStop.thread ?? [...this.#stopped][0] ?? 0n;
    const [[one, all]] = this.#askThreads([thread], [`p${mask.number.toString(16)}`, "g"]);
    const bytes = bytesOf(one)?.subarray(0, 8);
    const value = bytes?.length === 8
      ? bytes
      : bytesOf(all)?.subarray(mask.offset, mask.offset + 8) ?? new Uint8Array(0);
    if (value.length < 8) return 0;
    const bits = new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0, true);
    // The lowest bit of a signature is the first one that is not an address.
    for (let bit = 0; bit < 64; bit++) if ((bits >> BigInt(bit) & 1n) === 1n) return bit;
    return 0;
  }

  #findPid(): number {
    const pid = numberOf(this.#process.get("pid"));
    if (pid !== undefined) return Number(pid);
    const current = /^QC(?:p([\da-fA-F]+)\.)?([\da-fA-F]+)$/.exec(this.connection.request("qC"));
    return Number(numberOf(current?.[1] ?? current?.[2]) ?? 0n);
  }

  #findName(): string {
    const named = textOfDigits(this.#process.get("name") ?? "") ?? "";
    const path = named !== "" ? named : this.executable;
    return path.slice(path.lastIndexOf("/") + 1);
  }

  /** The path of the target's program; empty when not known. */
  get executable(): string {
    if (!this.#supported.has("qXfer:exec-file:read")) return "";
    return textOf(this.readObject("exec-file", this.pid.toString(16)) ?? new Uint8Array(0));
  }

  /** Tells the stub to pass signals to the target without a stop, as they are without a debugger. */
  #passSignals(): void {
    if (!this.#supported.has("QPassSignals")) return;
    const { trap, stop, last } = this.#signals;
    const passed: string[] = [];
    for (let signal = 1; signal <= last; signal++) {
      if (signal !== trap && signal !== stop) passed.push(signal.toString(16));
    }
    this.connection.request(`QPassSignals:${passed.join(";")}`);
  }

  /** The target description with its includes, or the registers one by one. */
  #description(): {
    architecture: string | undefined;
    registers: ReadonlyMap<number, StubRegister>;
  } {
    if (this.#supported.has("qXfer:features:read")) {
      let includes = 0;
      const read = (annex: string): string => {
        const text = textOf(this.readObject("features", annex) ?? new Uint8Array(0));
        return text.replace(/<xi:include\s+href="([^"]{1,200})"\s*\/?>/g, (_, href) => {
          return ++includes > maxIncludes ? "" : read(href);
        });
      };
      const description = parseDescription(read("target.xml"));
      if (description.registers.size > 0) return description;
    }
    const registers = new Map<number, StubRegister>();
    let previous: StubRegister | undefined;
    for (let first = 0; first < maxRegisters; first += registerBatch) {
      const numbers = Array.from({ length: registerBatch }, (_, index) => first + index);
      const replies = this.connection.requestAll(
        numbers.map((number) => `qRegisterInfo${number.toString(16)}`),
      );
      for (const [index, reply] of replies.entries()) {
        const register = parseRegisterInfo(numbers[index], textOf(reply), previous);
        if (register === null) return { architecture: undefined, registers };
        registers.set(register.number, register);
        previous = register;
      }
    }
    return { architecture: undefined, registers };
  }

  /** An object that `qXfer` reads; `null` where the stub has none. */
  readObject(object: string, annex = ""): Uint8Array | null {
    const parts: Uint8Array[] = [];
    let length = 0;
    // Escapes can double the size of what is asked for.
    const size = this.#readSize;
    for (let piece = 0; piece < maxPieces; piece++) {
      const range = `${length.toString(16)},${size.toString(16)}`;
      const reply = this.connection.requestBytes(`qXfer:${object}:read:${annex}:${range}`);
      const kind = reply[0];
      const isLast = kind === 0x6c; // l
      if (!isLast && kind !== 0x6d) break; // m
      parts.push(reply.subarray(1));
      length += reply.length - 1;
      if (isLast) return joined(parts);
      if (reply.length === 1 || length > maxObject) {
        throw new RemoteError("refused", `the stub's ${object} does not end`);
      }
    }
    return null;
  }

  /** Libraries of the System V linker, in the order of its list. */
  libraries(): { readonly path: string; readonly base: bigint }[] {
    if (!this.#supported.has("qXfer:libraries-svr4:read")) return [];
    const document = this.readObject("libraries-svr4");
    if (document === null) return [];
    const found: { path: string; base: bigint }[] = [];
    for (const { name, attributes } of elements(textOf(document))) {
      const base = numberOf(attributes.get("l_addr")?.replace(/^0x/, ""));
      const path = attributes.get("name");
      if (name === "library" && base !== undefined && path) found.push({ path, base });
    }
    return found;
  }

  /** debugserver's list of images, as its JSON; `undefined` where the stub has none. */
  loadedImages(): unknown {
    if (!this.#threadSuffix) return undefined;
    // A closing brace is escaped with a bracket (lldbgdbremote.md: jThreadExtendedInfo).
    const request = 'jGetLoadedDynamicLibrariesInfos:{"fetch_all_solibs":true}';
    return parseJson(this.connection.request(request));
  }

  /** Address of `dyld_all_image_infos`; 0 where the stub does not say. */
  imageInfosAddress(): bigint {
    if (this.system !== "darwin") return 0n;
    return numberOf(this.connection.request("qShlibInfoAddr")) ?? 0n;
  }

  /** The displacement of the program's text; `undefined` where the stub does not say. */
  offsets(): bigint | undefined {
    return numberOf(/^Text(?:Seg)?=([\da-fA-F]+)/.exec(this.connection.request("qOffsets"))?.[1]);
  }

  /** A file of the stub's machine that stays open until the stub is disposed; `null` where it cannot be
   * opened, or its size is not told. */
  openFile(path: string): StubFile | null {
    const descriptor = this.#openDescriptor(path);
    if (descriptor === null) return null;
    this.#openFiles.push(descriptor);
    const [stat, size] = this.connection.requestAll([
      `vFile:fstat:${descriptor}`,
      `vFile:size:${digitsOfText(path)}`,
    ]);
    const told = sizeInStat(stat) ?? numberOf(/^F([\da-fA-F]+)$/.exec(textOf(size))?.[1]);
    return told === undefined || told > maxFile ? null : { descriptor, size: Number(told) };
  }

  #openDescriptor(path: string): string | null {
    const opened = this.connection.request(`vFile:open:${digitsOfText(path)},0,0`);
    return /^F([\da-fA-F]{1,8})(?:;|$)/.exec(opened)?.[1] ?? null;
  }

  /** Reads parts of a file, in as few round trips as possible. Each result ends before the first byte that
   * could not be read. */
  readFileParts({ descriptor }: StubFile, parts: readonly FilePart[]): Uint8Array[] {
    const results = parts.map(({ length }) => new Uint8Array(length));
    const done = parts.map(() => 0);
    let open = parts.flatMap(({ length }, part) => length > 0 ? [part] : []);
    // A stub sends less than it was asked for when escapes make its packet too long.
    for (let round = 0; open.length > 0 && round < maxPieces; round++) {
      const asked = open.flatMap((part) => {
        const pieces: { part: number; at: number; length: number }[] = [];
        for (let at = done[part]; at < parts[part].length; at += this.#readSize) {
          pieces.push({ part, at, length: Math.min(this.#readSize, parts[part].length - at) });
        }
        return pieces;
      });
      const replies = this.connection.requestAll(asked.map(({ part, at, length }) => {
        const range = `${length.toString(16)},${(parts[part].offset + at).toString(16)}`;
        return `vFile:pread:${descriptor},${range}`;
      }));
      const moved = new Set<number>();
      for (const [index, { part, at, length }] of asked.entries()) {
        const data = contentsOf(replies[index])?.subarray(0, length) ?? new Uint8Array(0);
        // The rest of a short piece is asked for again.
        if (at !== done[part] || data.length === 0) continue;
        results[part].set(data, at);
        done[part] += data.length;
        moved.add(part);
      }
      open = open.filter((part) => moved.has(part) && done[part] < parts[part].length);
    }
    return results.map((bytes, part) => bytes.subarray(0, done[part]));
  }

  /** A file of the stub's machine whose size nobody tells, as those of `/proc`; `null` where it cannot be
   * read.
   *
   * @param limit bytes at most
   */
  readFile(path: string, limit: number): Uint8Array | null {
    const descriptor = this.#openDescriptor(path);
    if (descriptor === null) return null;
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < limit) {
      const range = `${this.#readSize.toString(16)},${length.toString(16)}`;
      const part = contentsOf(
        this.connection.requestBytes(`vFile:pread:${descriptor},${range}`),
      );
      if (part === undefined || part.length === 0) break;
      parts.push(part);
      length += part.length;
    }
    this.connection.request(`vFile:close:${descriptor}`);
    return parts.length === 0 ? null : joined(parts);
  }

  /** The regions that hold addresses, or the free space around them; `undefined` where the stub does not
   * say. */
  regionsAt(addresses: readonly bigint[]): (StubRegion | undefined)[] {
    const requests = addresses.map((address) => `qMemoryRegionInfo:${address.toString(16)}`);
    return this.connection.requestAll(requests).map((reply, index) => {
      const fields = fieldsOf(textOf(reply));
      const start = numberOf(fields.get("start"));
      const size = numberOf(fields.get("size"));
      if (start === undefined || size === undefined) return undefined;
      const end = start + size;
      if (end <= addresses[index]) return undefined;
      const permissions = fields.get("permissions");
      return {
        start,
        end,
        protection: permissions === undefined ? undefined : protectionOf(permissions),
        path: textOfDigits(fields.get("name") ?? "") ?? "",
        isStack: /\bstack\b/.test(fields.get("type") ?? ""),
      };
    });
  }

  /** Stops the target.
   *
   * @throws TargetGoneError when it has ended
   */
  stop(): void {
    this.#checkAlive();
    if (!this.#running) return;
    if (this.#idle) {
      this.#idle = this.#running = false;
      return;
    }
    this.#onStop(true, this.detachesAlone);
    if (this.#nonStop) return this.#stopThreads();
    // The target may have stopped by itself.
    let text = this.connection.takeStop();
    const isOwn = text === undefined;
    if (text === undefined) {
      this.connection.interrupt();
      text = this.connection.waitForStop();
    }
    this.#running = false;
    this.#note(text, isOwn);
  }

  /** Keeps a thread stopped when the others run. The target must be stopped.
   *
   * @returns whether there is such a thread
   * @throws RemoteError when the stub cannot let single threads run
   */
  hold(id: bigint): boolean {
    const ids = this.threads().map((thread) => thread.id);
    if (!ids.includes(id)) return false;
    if (!this.#continues || ids.length * longestAction > this.#packetSize) {
      throw new RemoteError(
        "refused",
        this.#continues
          ? `${ids.length} threads are more than the stub can be told to let run one by one`
          : "the stub cannot keep a thread stopped while others run",
      );
    }
    this.#held.add(id);
    return true;
  }

  /** Ends what {@linkcode hold} began. */
  unhold(id: bigint): void {
    this.#held.delete(id);
  }

  /** Lets all threads run that are not held. Signals with which they stopped are delivered. */
  resume(): void {
    this.#checkAlive();
    if (this.#running) return;
    const request = this.#held.size > 0 ? this.#resumption() : this.#resumptionOfAll();
    this.#running = true;
    if (request === undefined) {
      this.#idle = true;
      return;
    }
    for (const id of this.#stopped) if (!this.#held.has(id)) this.#stopped.delete(id);
    // While a thread is held, the guard has to detach when the connection is lost, as for a stopped target.
    this.#onStop(this.#held.size > 0, this.detachesAlone);
    if (!this.#nonStop) return this.connection.send(request);
    const reply = this.connection.request(request);
    if (reply !== "OK") {
      throw new RemoteError("refused", `the stub does not let the target run: ${reply}`);
    }
  }

  #resumptionOfAll(): string {
    const due = [...this.#signalsDue].map(([id, signal]) =>
      `;${withSignal(signal)}${id === 0n ? "" : `:${id.toString(16)}`}`
    );
    const [first] = this.#signalsDue.values();
    this.#signalsDue.clear();
    if (this.#continues) return `vCont${due.join("")};c`;
    return first === undefined ? "c" : withSignal(first);
  }

  /** Names each thread that is to run: threads that `vCont` does not name stay stopped. `undefined` when
   * all are held. */
  #resumption(): string | undefined {
    const ids = this.threads().map((thread) => thread.id);
    for (const id of this.#held) if (!ids.includes(id)) this.#held.delete(id);
    if (this.#held.size === 0) return this.#resumptionOfAll();
    const actions = ids.filter((id) => !this.#held.has(id)).map((id) => {
      const signal = this.#signalsDue.get(id);
      this.#signalsDue.delete(id);
      return `;${signal === undefined ? "c" : withSignal(signal)}:${id.toString(16)}`;
    });
    return actions.length === 0 ? undefined : `vCont${actions.join("")}`;
  }

  /** Takes what a running target has reported. A signal that stopped it is delivered, and it runs on.
   *
   * @returns how it stopped, when it stays stopped: a Mach exception would only be raised again
   * @throws TargetGoneError when it has ended
   */
  attend(): StopReply | undefined {
    this.#checkAlive();
    if (!this.#running || this.#idle) return undefined;
    if (this.#nonStop) {
      const notified = this.connection.takeNotification(0);
      if (notified === undefined) return undefined;
      this.#acknowledgeStops(notified.replace(/^Stop:/, ""));
      this.#running = false;
      this.resume();
      return undefined;
    }
    const text = this.connection.takeStop();
    if (text === undefined) return undefined;
    this.#running = false;
    this.#onStop(true, this.detachesAlone);
    const stop = this.#note(text, false);
    if (stop.signal >= firstException) return stop;
    this.resume();
    return undefined;
  }

  /** Lets the target go; it runs on. */
  detach(): void {
    if (!this.usable) return;
    this.#held.clear();
    // Signals that have stopped the target must still be delivered.
    if (this.#signalsDue.size > 0) this.resume();
    if (!this.#nonStop) this.stop();
    // A stub that goes on serving clients would keep the files open.
    this.connection.requestAll(this.#openFiles.map((descriptor) => `vFile:close:${descriptor}`));
    this.#openFiles.length = 0;
    const reply = this.connection.request("D");
    // Some stubs close the connection instead of replying.
    if (reply.startsWith("E")) {
      throw new RemoteError("refused", `the stub does not detach: ${reply}`);
    }
  }

  /** Ends the target. */
  kill(): void {
    this.stop();
    const reply = this.connection.request(`vKill;${this.pid.toString(16)}`);
    if (reply !== "OK") this.connection.send("k"); // whose reply nobody has to send
    this.#ended = "it was killed from here";
    this.#gone = new TargetGoneError(`pid ${this.pid}`, this.#ended);
  }

  /** Records a stop of all threads.
   *
   * @param isOwn whether it was requested
   */
  #note(text: string, isOwn: boolean): StopReply {
    const stop = parseStop(text);
    this.#checkEnd(stop);
    const { signal, thread } = stop;
    const { trap, stop: halt } = this.#signals;
    const isDue = signal !== 0 && signal !== trap && signal !== halt && signal < firstException &&
      !(isOwn && signal === sigint);
    if (isDue) this.#signalsDue.set(thread ?? 0n, signal);
    return stop;
  }

  #checkEnd({ ended }: StopReply): void {
    if (ended === undefined) return;
    this.#ended = ended;
    this.#gone = new TargetGoneError(`pid ${this.pid}`, ended);
    throw this.#gone;
  }

  #checkAlive(): void {
    if (this.#gone !== undefined) throw this.#gone;
  }

  /** Stops all threads, in non-stop mode. */
  #stopThreads(): void {
    const reply = this.connection.request("vCont;t");
    if (reply !== "OK") throw new RemoteError("refused", `the stub stops no threads: ${reply}`);
    let [count, since] = [0, performance.now()];
    for (;;) {
      const ids = this.#threadIds();
      const left = ids.filter((id) => !this.#stopped.has(id)).length;
      if (left === 0 && ids.length > 0) break;
      const now = performance.now();
      if (this.#stopped.size > count) [count, since] = [this.#stopped.size, now];
      if (now - since > this.connection.silence) {
        throw new RemoteError(
          "timeout",
          left === 0 ? "the stub lists no threads" : `${left} threads of the target do not stop`,
        );
      }
      const notified = this.connection.takeNotification(20);
      if (notified !== undefined) this.#acknowledgeStops(notified.replace(/^Stop:/, ""), left);
    }
    this.#running = false;
  }

  /** Records a reported stop and those that wait behind it.
   *
   * @param expected how many there probably are
   */
  #acknowledgeStops(first: string, expected = 1): void {
    this.#recordStop(first);
    for (let rounds = 0; rounds < maxThreads; rounds++) {
      const requests = Array.from({ length: Math.max(1, expected) }, () => "vStopped");
      const replies = this.connection.requestAll(requests).map(textOf);
      for (const reply of replies) this.#recordStop(reply);
      if (replies.includes("OK")) return;
    }
  }

  #recordStop(text: string): void {
    if (!/^[TSWX]/.test(text)) return;
    const stop = parseStop(text);
    this.#checkEnd(stop);
    if (stop.thread === undefined || this.#stopped.size >= maxThreads) return;
    this.#stopped.add(stop.thread);
    const { trap, stop: halt } = this.#signals;
    if (stop.signal !== 0 && stop.signal !== trap && stop.signal !== halt) {
      this.#signalsDue.set(stop.thread, stop.signal);
    }
  }

  /** Whether a signal means that the program has failed. */
  isFault(signal: number): boolean {
    return this.#signals.faults.includes(signal) || signal >= firstException;
  }

  #threadIds(): bigint[] {
    return this.#listThreads().map(({ id }) => id);
  }

  /** The threads, with what the stub says of them at once. */
  threads(): StubThread[] {
    if (this.#threadSuffix && this.#knowsThreadsInfo) {
      const threads = parseThreadsInfo(
        parseJson(this.connection.request("jThreadsInfo")),
        maxThreads,
      );
      if (threads !== undefined && threads.length > 0) return threads;
      this.#knowsThreadsInfo = false;
    }
    return this.#listThreads();
  }

  #listThreads(): StubThread[] {
    if (this.#supported.has("qXfer:threads:read")) {
      const document = this.readObject("threads");
      if (document !== null) return parseThreadList(textOf(document), maxThreads);
    }
    const threads: StubThread[] = [];
    let reply = this.connection.request("qfThreadInfo");
    while (reply.startsWith("m") && threads.length < maxThreads) {
      for (const id of reply.slice(1).split(",").map(threadIdOf)) {
        if (id !== undefined) threads.push(bareThread(id));
      }
      reply = this.connection.request("qsThreadInfo");
    }
    const extras = this.connection.requestAll(
      threads.map(({ id }) => `qThreadExtraInfo,${id.toString(16)}`),
    );
    return threads.map((thread, index) => {
      const name = textOfDigits(textOf(extras[index])) ?? "";
      return { ...thread, name };
    });
  }

  /** The thread states of threads; empty where one cannot be read. */
  states(threads: readonly StubThread[]): Uint8Array[] {
    const states = threads.map(({ registers }) => this.#stateOf((number) => registers.get(number)));
    const missing = threads.flatMap((_, index) => states[index] === undefined ? [index] : []);
    if (missing.length > 0 && this.#readsAllRegisters) {
      const replies = this.#askThreads(missing.map((index) => threads[index].id), ["g"]);
      for (const [nth, index] of missing.entries()) {
        const bytes = bytesOf(replies[nth][0]);
        if (bytes === undefined || bytes.length === 0) continue;
        states[index] = this.#stateOf((number) => {
          const { offset, size } = this.#registers.get(number)!;
          return offset + size <= bytes.length ? bytes.subarray(offset, offset + size) : undefined;
        }, true);
      }
    }
    const rest = missing.filter((index) => states[index] === undefined);
    if (rest.length > 0) {
      this.#readsAllRegisters = false;
      const requests = this.#placed.map(({ from }) => `p${from.number.toString(16)}`);
      const replies = this.#askThreads(rest.map((index) => threads[index].id), requests);
      for (const [nth, index] of rest.entries()) {
        const values = new Map(this.#placed.map(({ from }, at) => [from.number, replies[nth][at]]));
        states[index] = this.#stateOf((number) => {
          const bytes = bytesOf(values.get(number)!);
          return bytes?.length === 0 ? undefined : bytes;
        }, true);
      }
    }
    return states.map((state) => state ?? new Uint8Array(0));
  }

  /** Makes a thread state.
   *
   * @param partial whether registers may be missing, except the program counter and stack pointer
   */
  #stateOf(
    valueOf: (number: number) => Uint8Array | undefined,
    partial = false,
  ): Uint8Array | undefined {
    const { pc, sp, threadState } = this.arch;
    const state = new Uint8Array(threadState.size);
    for (const { field, from } of this.#placed) {
      const value = valueOf(from.number);
      if (value !== undefined) putRegister(state, field, value);
      else if (!partial || field === pc || field === sp) return undefined;
    }
    return state;
  }

  /** Asks the same of several threads, in as few round trips as possible. */
  #askThreads(ids: readonly bigint[], requests: readonly string[]): string[][] {
    if (this.#threadSuffix) {
      const all = ids.flatMap((id) => requests.map((text) => `${text};thread:${id.toString(16)};`));
      const replies = this.connection.requestAll(all);
      return ids.map((_, index) => {
        const at = index * requests.length;
        return replies.slice(at, at + requests.length).map(textOf);
      });
    }
    const each = requests.length + 1;
    const all = ids.flatMap((id) => [`Hg${id.toString(16)}`, ...requests]);
    const replies = this.connection.requestAll(all);
    return ids.map((_, index) => {
      const [selected, ...rest] = replies.slice(index * each, (index + 1) * each).map(textOf);
      return selected === "OK" ? rest : rest.map(() => "");
    });
  }

  /** Writes one register of a thread.
   *
   * @param name in Apple's headers
   */
  writeRegister(id: bigint, name: string, value: bigint): boolean {
    const placed = this.#placed.find(({ field }) => field.name === name);
    if (placed === undefined) return false;
    const { size, number, offset } = placed.from;
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at++) bytes[at] = Number((value >> BigInt(at * 8)) & 0xffn);
    const digits = hexBytes(bytes);
    const [[reply]] = this.#askThreads([id], [`P${number.toString(16)}=${digits}`]);
    if (reply === "OK") return true;
    if (reply !== "" || !this.#readsAllRegisters) return false;
    const [[all]] = this.#askThreads([id], ["g"]);
    if (all.length < (offset + size) * 2) return false;
    const changed = all.slice(0, offset * 2) + digits + all.slice((offset + size) * 2);
    return this.#askThreads([id], [`G${changed}`])[0][0] === "OK";
  }

  /** Reads ranges of memory of the stopped target, in as few round trips as possible. Each result ends
   * before the first byte that could not be read, as far as the stub tells. */
  readMemory(ranges: readonly Wanted[]): Uint8Array[] {
    const pieces = ranges.flatMap(({ address, length }, index) =>
      cut(address, length, this.#readSize, index)
    );
    const done = this.#readPieces(pieces);
    // A piece of several pages fails as a whole when one of them does.
    const again = pieces.flatMap((piece, nth) =>
      done[nth].length === 0 && piece.length > Number(pageSize) ? [nth] : []
    );
    if (again.length > 0) {
      const pages = again.flatMap((nth) => cut(pieces[nth].address, pieces[nth].length, 1, nth));
      const read = this.#readPieces(pages);
      for (const nth of again) {
        const parts: Uint8Array[] = [];
        for (const [at, page] of pages.entries()) {
          if (page.owner !== nth) continue;
          parts.push(read[at]);
          if (read[at].length < page.length) break;
        }
        done[nth] = joined(parts);
      }
    }
    const results = ranges.map((): Uint8Array[] => []);
    const ended = new Set<number>();
    for (const [nth, { owner, length }] of pieces.entries()) {
      if (ended.has(owner)) continue;
      results[owner].push(done[nth]);
      if (done[nth].length < length) ended.add(owner);
    }
    return results.map((parts) => parts.length === 1 ? parts[0] : joined(parts));
  }

  #readPieces(pieces: readonly Piece[]): Uint8Array[] {
    const letter = this.#binary === undefined ? "m" : "x";
    const replies = this.connection.requestAll(
      pieces.map(({ address, length }) =>
        // Three bytes of data can look like an error.
        `${length <= 3 ? "m" : letter}${address.toString(16)},${length.toString(16)}`
      ),
    );
    return replies.map((reply, index) => {
      const { length } = pieces[index];
      const bytes = length <= 3 || this.#binary === undefined
        ? isError(reply) ? undefined : bytesOf(textOf(reply))
        : this.#binary === "b"
        ? reply[0] === 0x62 ? reply.subarray(1) : undefined
        : isError(reply)
        ? undefined
        : reply;
      return (bytes ?? new Uint8Array(0)).subarray(0, length);
    });
  }

  /** Writes memory of the stopped target.
   *
   * @returns whether all of it was written
   */
  writeMemory(address: bigint, bytes: Uint8Array): boolean {
    const requests: string[] = [];
    for (const { address: at, length } of cut(address, bytes.length, this.#readSize, 0)) {
      const from = Number(at - address);
      const digits = hexBytes(bytes.subarray(from, from + length));
      requests.push(`M${at.toString(16)},${length.toString(16)}:${digits}`);
    }
    return this.connection.requestAll(requests).every((reply) => textOf(reply) === "OK");
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    this.connection[Symbol.dispose]();
  }
}

/** Part of a range, which does not cross the end of what one packet holds. */
interface Piece extends Wanted {
  readonly owner: number;
}

/** Cuts a range at page boundaries into pieces of at most `size` bytes, or of one page. */
function cut(address: bigint, length: number, size: number, owner: number): Piece[] {
  const pieces: Piece[] = [];
  const pages = Math.max(1, Math.floor(size / Number(pageSize)));
  for (let at = 0; at < length;) {
    const from = address + BigInt(at);
    const toPage = Number(pageSize - from % pageSize);
    const most = size > 1 && size < Number(pageSize)
      ? Math.min(size, toPage)
      : toPage + (pages - 1) * Number(pageSize);
    const piece = Math.min(most, length - at);
    pieces.push({ address: from, length: piece, owner });
    at += piece;
  }
  return pieces;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Bytes to ask for at once: two digits each, or escaped, fit into a packet. */
function readSize(packetSize: number): number {
  const half = Math.floor((Math.max(packetSize, leastPacket) - 64) / 2);
  if (half >= mostInPacket) return mostInPacket;
  return half < Number(pageSize) ? half & ~63 : half - half % Number(pageSize);
}

/** Whether a reply to `?` says that there is no process. */
function holdsNone(reply: string): boolean {
  return /^(?:W|X|E|N|$)/.test(reply);
}

/** An action that delivers a signal. */
function withSignal(signal: number): string {
  return `C${signal.toString(16).padStart(2, "0")}`;
}

/** The data of a reply to `vFile`: `F`, a number, a semicolon, and the data. */
function contentsOf(reply: Uint8Array): Uint8Array | undefined {
  const semicolon = reply.indexOf(0x3b);
  return reply[0] !== 0x46 || semicolon < 0 ? undefined : reply.subarray(semicolon + 1);
}

/** The size in the reply to `vFile:fstat`, whose structure is in gdb's manual ("struct stat"). */
function sizeInStat(reply: Uint8Array): bigint | undefined {
  const stat = contentsOf(reply);
  if (stat === undefined || stat.length < 64) return undefined;
  return new DataView(stat.buffer, stat.byteOffset, stat.length).getBigUint64(28);
}

/** `E` and two digits, with a text after it where the stub sends any. */
function isError(reply: Uint8Array): boolean {
  return reply.length === 0 ||
    (reply[0] === 0x45 && reply.length === 3 && /^E[\da-fA-F]{2}$/.test(textOf(reply)));
}

/** The reply to `qSupported`: features with `+`, and values. */
function featuresOf(reply: string): Map<string, string> {
  const features = new Map<string, string>();
  for (const part of reply.split(";")) {
    const [, name, value] = /^([^=+?-]+(?:-[^=+?-]+)*)(?:=(.*)|\+)$/.exec(part) ?? [];
    if (name !== undefined) features.set(name, value ?? "");
  }
  return features;
}

function systemOf(
  host: ReadonlyMap<string, string>,
  process: ReadonlyMap<string, string>,
  triple: string,
  supported: ReadonlyMap<string, string>,
): "darwin" | "linux" | "" {
  const type = process.get("ostype") ?? host.get("ostype") ?? "";
  const all = `${type} ${triple} ${textOfDigits(host.get("triple") ?? "") ?? ""}`;
  if (/darwin|macos|\bios|tvos|watchos|xros|-apple-|bridgeos/.test(all)) return "darwin";
  if (/linux/.test(all) || supported.has("qXfer:libraries-svr4:read")) return "linux";
  return "";
}

function protectionOf(permissions: string): number {
  return (permissions.includes("r") ? 1 : 0) | (permissions.includes("w") ? 2 : 0) |
    (permissions.includes("x") ? 4 : 0);
}

function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
