/** A stub and the process it holds: what it can do, found by asking it, and what is asked of it. */
import { type Arch, archOn, withAddressBits } from "../arch/mod.ts";
import { TargetGoneError } from "../errors.ts";
import { log } from "../log.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { elements } from "./elements.ts";
import { RemoteError } from "./error.ts";
import { digitsOfText, fieldsOf, numberOf, textOfDigits, threadIdOf } from "./hexadecimal.ts";
import { textOf } from "./packet.ts";
import { archOfName, archOfProcess, archOfRegisters } from "./registers.ts";
import { parseStop, type StopReply } from "./stop_reply.ts";
import type { ByteStream } from "./stream.ts";
import { StubMemory } from "./stub_memory.ts";
import { addressBitsOfMask, describeRegisters, ThreadRegisters } from "./thread_registers.ts";
import { bareThread, parseThreadList, parseThreadsInfo, type StubThread } from "./threads.ts";
import { Transfers } from "./transfers.ts";

/** Size of packets that every stub takes, in bytes. */
const leastPacket = 512;
/** Maximum number of bytes that one packet asks for. More is not faster, and some stubs cannot do what their
 * `PacketSize` says. */
const mostInPacket = 1 << 16;
/** Maximum number of threads. */
const maxThreads = 1 << 16;

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

/** The first stop of a target that was running. */
const neverStopped: StopReply = { signal: 0, thread: undefined, reason: "", ended: undefined };

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
  /** Its registers, by threads. */
  readonly registers: ThreadRegisters;
  /** Its memory. */
  readonly memory: StubMemory;
  /** Objects and files that the stub sends. */
  readonly transfers: Transfers;
  /** How the target had stopped when the connection was made. */
  readonly firstStop: StopReply;
  readonly #supported: ReadonlyMap<string, string>;
  readonly #host: ReadonlyMap<string, string>;
  readonly #process: ReadonlyMap<string, string>;
  readonly #threadSuffix: boolean;
  readonly #continues: boolean;
  readonly #packetSize: number;
  readonly #nonStop: boolean;
  readonly #signals: Signals;
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
      const inBinary = this.#supported.has("binary-upload")
        ? "b"
        : binary === "OK"
        ? "data"
        : undefined;
      const isDebugserver = fieldsOf(version).get("name") === "debugserver";
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
      const size = readSize(packetSize);
      this.memory = new StubMemory(connection, {
        readSize: inBinary === undefined ? digitsSize(packetSize) : size,
        writeSize: size,
        binary: inBinary,
      });
      this.transfers = new Transfers(connection, size);
      const first = connection.request("?");
      if (holdsNone(first) || (first === "OK" && !this.#nonStop)) {
        throw new RemoteError("refused", "the stub holds no process any more");
      }
      this.#running = first === "OK";
      this.firstStop = first === "OK" ? neverStopped : parseStop(first);
      if (this.#running) this.#stopThreads();
      else if (this.#nonStop) this.#acknowledgeStops(first, this.#threadIds().length);
      else this.#note(first, true);
      // gdbserver describes the registers of the selected thread.
      if (!this.#threadSuffix) connection.request("Hg0");
      const { architecture, registers } = describeRegisters(
        connection,
        this.#supported.has("qXfer:features:read") ? this.transfers : undefined,
      );
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
      const access = { connection, threadSuffix: this.#threadSuffix };
      const bits = addressBitsOf(this.#process, this.#host) ??
        addressBitsOfMask(access, registers, this.firstStop.thread ?? [...this.#stopped][0] ?? 0n);
      this.arch = withAddressBits(onSystem, bits);
      // debugserver's `g` fails or mixes up registers (Delve's gdbserver.go).
      this.registers = new ThreadRegisters(access, this.arch, registers, !isDebugserver);
      this.pid = this.#findPid();
      this.programName = this.#findName();
      this.#passSignals();
      this.#onStop(true, this.detachesAlone);
      log.remote?.(
        `${isDebugserver ? "debugserver" : this.#threadSuffix ? "lldb-server" : "gdb stub"}, ` +
          `${arch.name}, pid ${this.pid}, ${registers.size} registers, ` +
          `${size} bytes a read${inBinary === undefined ? " as digits" : ""}, ` +
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
    return textOf(this.transfers.object("exec-file", this.pid.toString(16)) ?? new Uint8Array(0));
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

  /** Libraries of the System V linker, in the order of its list. */
  libraries(): { readonly path: string; readonly base: bigint }[] {
    if (!this.#supported.has("qXfer:libraries-svr4:read")) return [];
    const document = this.transfers.object("libraries-svr4");
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

  /** Stops the target.
   *
   * @throws TargetGoneError when it has ended
   */
  stop(): void {
    this.checkAlive();
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
    this.checkAlive();
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
    this.checkAlive();
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
    this.transfers.close();
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

  /** @throws TargetGoneError when the target has ended */
  checkAlive(): void {
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
      const document = this.transfers.object("threads");
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

  /** Closes the connection. */
  [Symbol.dispose](): void {
    this.connection[Symbol.dispose]();
  }
}

/** Bytes to ask for at once: two digits each, or escaped, fit into a packet. */
function readSize(packetSize: number): number {
  const half = Math.floor((Math.max(packetSize, leastPacket) - 64) / 2);
  if (half >= mostInPacket) return mostInPacket;
  return half < Number(pageSize) ? half & ~63 : half - half % Number(pageSize);
}

/** Bytes to ask for at once that are sent as digits and nothing else. `PacketSize` counts neither the frame nor the
 * checksum (gdb's manual, `qSupported`), so half of it fits: with the 4,096 of qemu, a page is two packets. */
function digitsSize(packetSize: number): number {
  const size = readSize(packetSize);
  if (size >= Number(pageSize) || packetSize <= leastPacket) return size;
  return Math.max(size, 2 ** Math.floor(Math.log2(packetSize / 2)));
}

/** Whether a reply to `?` says that there is no process. */
function holdsNone(reply: string): boolean {
  return /^(?:W|X|E|N|$)/.test(reply);
}

/** An action that delivers a signal. */
function withSignal(signal: number): string {
  return `C${signal.toString(16).padStart(2, "0")}`;
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

/** How many bits an address of code has, where LLDB's stubs tell (`lldbgdbremote.md`, qHostInfo). */
function addressBitsOf(...told: readonly ReadonlyMap<string, string>[]): number | undefined {
  for (const fields of told) {
    const bits = fields.get("low_mem_addressing_bits") ?? fields.get("addressing_bits");
    if (bits !== undefined) return Number(bits);
  }
  return undefined;
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

function parseJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
