/** Stubs that answer as the real ones do, over a recorded task. Their packets are those of debugserver's
 * `RNBRemote.cpp`, of LLDB's `lldbgdbremote.md`, of gdb's manual, and of gdbserver 13 and qemu 7.2 as they
 * were seen to answer. The framing is written out here again, so that a mistake in the client's does not
 * hide. */
import type { Arch } from "../../../lib/arch/mod.ts";
import { RemoteError } from "../../../lib/remote/mod.ts";
import type { ByteStream } from "../../../lib/remote/mod.ts";
import { recordedParts } from "../target/core_builder.ts";
import { recordedKernel } from "../target/memory_kernel.ts";

/** Whose manners a stub has. */
export type Manners = "debugserver" | "gdbserver" | "qemu";

/** `dyld_all_image_infos` of the recorded tasks. */
const infosAddress = 0x7000_0000n;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function hex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** Puts a packet together: escapes, and a checksum. */
export function packet(data: string | Uint8Array, mark = "$"): Uint8Array {
  const raw = typeof data === "string" ? encoder.encode(data) : data;
  const body: number[] = [];
  for (const byte of raw) {
    if ([0x23, 0x24, 0x2a, 0x7d].includes(byte)) body.push(0x7d, byte ^ 0x20);
    else body.push(byte);
  }
  const sum = body.reduce((sum, byte) => (sum + byte) % 256, 0).toString(16).padStart(2, "0");
  return Uint8Array.of(...encoder.encode(mark), ...body, ...encoder.encode(`#${sum}`));
}

/** Run lengths as gdbserver makes them: never of counts that would look like `$`, `#`, `+` or `-`. */
function runLengths(text: string): string {
  return text.replace(/(.)\1{3,96}/g, (run, character) => {
    const count = run.length - 1;
    if (["#", "$", "+", "-"].includes(String.fromCharCode(count + 29))) return run;
    return `${character}*${String.fromCharCode(count + 29)}`;
  });
}

/** What happened to a target over a connection. */
export interface Deeds {
  detached: boolean;
  killed: boolean;
  running: boolean;
  /** Requests, in order. */
  readonly requests: string[];
  /** How often the client has sent something: whatever it sends at once takes one round trip. */
  sends: number;
}

/** One end of a connection, whose other end is the client. */
export class ScriptedStub implements ByteStream {
  readonly deeds: Deeds = {
    ...{ detached: false, killed: false, running: false, sends: 0 },
    requests: [],
  };
  /** Waits are not waited for: without an answer the time is over at once. */
  #out: number[] = [];
  #in = "";
  #acknowledges = true;
  #nonStop = false;
  #selected = 0;
  #unreported: number[] = [];
  readonly #manners: Manners;
  readonly #arch: Arch;
  readonly #kernel;
  readonly #threads;
  /** Changes what is sent. */
  damage: (bytes: Uint8Array, nth: number) => Uint8Array | undefined = (bytes) => bytes;
  #sent = 0;
  closed = false;
  /** Whether all threads have called a null pointer. */
  atZero = false;
  /** What every file but `/proc/PID/maps` has, to gdbserver; empty: there are none. */
  fileContents: Uint8Array = new Uint8Array(0);
  /** How many bits an address has, as debugserver says and gdbserver's mask has it; 0: they do not. */
  addressBits = 0;
  /** The last packet, until it is acknowledged. */
  #unacknowledged: Uint8Array | undefined;

  /** @param count how many threads it has; those of the recording, and again */
  constructor(manners: Manners, name: "arm64" | "armv7", count?: number) {
    this.#manners = manners;
    this.#kernel = recordedKernel(name);
    const { arch, threads } = recordedParts(name);
    this.#arch = arch;
    this.#threads = Array.from({ length: count ?? threads.length }, (_, index) => {
      const thread = threads[index % threads.length];
      const round = Math.floor(index / threads.length);
      return { ...thread, id: thread.id + BigInt(round * threads.length) };
    });
  }

  transfer(output: Uint8Array, input: Uint8Array): { written: number; read: number } {
    if (this.closed) throw new RemoteError("closed", "the stub closed the connection");
    if (output.length > 0) this.deeds.sends++;
    for (const byte of output) this.#in += String.fromCharCode(byte);
    this.#work();
    const read = Math.min(input.length, this.#out.length);
    input.set(this.#out.slice(0, read));
    this.#out = this.#out.slice(read);
    return { written: output.length, read };
  }

  /** Sends bytes as they are. */
  raw(bytes: Uint8Array): void {
    for (const byte of bytes) this.#out.push(byte);
  }

  #send(data: string | Uint8Array): void {
    const isText = typeof data === "string";
    const bytes = packet(isText && this.#manners === "gdbserver" ? runLengths(data) : data);
    // `*` of a run length is no data.
    const framed = isText && this.#manners === "gdbserver" ? plainPacket(runLengths(data)) : bytes;
    const damaged = this.damage(framed, this.#sent++);
    if (damaged === undefined) return;
    if (this.#acknowledges) this.#unacknowledged = framed;
    this.raw(damaged);
  }

  #work(): void {
    for (;;) {
      const first = this.#in[0];
      if (first === undefined) return;
      if (first === "+" || first === "-") {
        this.#in = this.#in.slice(1);
        if (first === "-" && this.#unacknowledged !== undefined) this.raw(this.#unacknowledged);
        else this.#unacknowledged = undefined;
      } else if (first === "\x03") {
        this.#in = this.#in.slice(1);
        this.#interrupted();
      } else {
        const found = /^\$([^#]*)#([\da-f]{2})/.exec(this.#in);
        if (found === null) return;
        this.#in = this.#in.slice(found[0].length);
        const sum = [...found[1]].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 256;
        if (this.#acknowledges) this.raw(encoder.encode("+"));
        if (sum !== parseInt(found[2], 16)) throw new Error(`a wrong checksum: ${found[0]}`);
        const data = found[1].replace(/\}(.)/gs, (_, letter) => {
          return String.fromCharCode(letter.charCodeAt(0) ^ 0x20);
        });
        this.deeds.requests.push(data);
        const reply = this.#answer(data);
        if (reply !== undefined) this.#send(reply);
        if (data === "QStartNoAckMode" && reply === "OK") this.#acknowledges = false;
      }
    }
  }

  #interrupted(): void {
    if (!this.deeds.running) return;
    this.deeds.running = false;
    this.#send(this.#stopReply(0));
  }

  #id(index: number): string {
    return this.#threads[index].id.toString(16);
  }

  #stopReply(index: number): string {
    const signal = { debugserver: "11", gdbserver: "00", qemu: "02" }[this.#manners];
    return `T${signal}thread:${this.#id(index)};`;
  }

  /** `NT_ARM_PAC_MASK`: the bits between an address and bit 55. */
  get #mask(): Uint8Array {
    const mask = new Uint8Array(8);
    const bits = (1n << 55n) - (1n << BigInt(this.addressBits));
    new DataView(mask.buffer).setBigUint64(0, bits, true);
    return mask;
  }

  get #registers(): { name: string; size: number; value: (index: number) => Uint8Array }[] {
    const { registers } = this.#arch.threadState;
    return registers.map(({ name, size, offset }) => ({
      name: this.#name(name),
      size,
      value: (index) =>
        this.atZero && name === "pc"
          ? new Uint8Array(size)
          : this.#threads[index].state.subarray(offset, offset + size),
    }));
  }

  /** gdb has no `fp` and `lr` on arm64. */
  #name(name: string): string {
    const isGdb = this.#manners !== "debugserver" && this.#arch.name === "arm64";
    return isGdb ? { fp: "x29", lr: "x30" }[name] ?? name : name;
  }

  #document(): Record<string, string> {
    const rows = this.#registers.map(({ name, size }) =>
      `<reg name="${name}" bitsize="${size * 8}"/>`
    );
    const architecture = this.#arch.name === "arm64" ? "aarch64" : "arm";
    const head = `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd">`;
    return {
      "target.xml": `${head}<target version="1.0"><architecture>${architecture}</architecture>` +
        `<xi:include href="core.xml"/><xi:include href="fpu.xml"/></target>`,
      "core.xml": `${head}<feature name="org.gnu.gdb.${architecture}.core">${
        rows.join("\n")
      }</feature>`,
      "fpu.xml":
        `<feature name="fpu"><vector id="v4" type="uint8" count="4"/><reg name="v0" bitsize="128"/>${
          this.addressBits === 0 ? "" : `<reg name="pauth_cmask" bitsize="64"/>`
        }</feature>`,
    };
  }

  #read(address: bigint, length: number): Uint8Array {
    const into = new Uint8Array(length);
    return into.subarray(0, this.#kernel.vmRead(1, address, into));
  }

  /** The reply to a request; `undefined` where none is due. */
  #answer(data: string): string | Uint8Array | undefined {
    const isDebugserver = this.#manners === "debugserver";
    const [name] = data.split(/[:,;]/);
    if (data === "QStartNoAckMode") return this.#manners === "qemu" ? "" : "OK";
    if (name === "qSupported") {
      return {
        debugserver:
          "qXfer:features:read+;PacketSize=20000;qEcho+;native-signals+;SupportedCompressions=lzfse",
        gdbserver: "PacketSize=47ff;QNonStop+;qXfer:features:read+;qXfer:threads:read+;" +
          "QStartNoAckMode+;vContSupported+",
        qemu: "PacketSize=1000;qXfer:features:read+;vContSupported+",
      }[this.#manners];
    }
    if (data === "?") {
      if (this.#nonStop) this.#unreported = this.#threads.map((_, index) => index).slice(1);
      return this.#stopReply(0);
    }
    if (data === "vCont?") return this.#manners === "qemu" ? "vCont;c;C;s;S" : "vCont;c;C;t;s;S";
    if (/^(?:c|C..|vCont;[cC].*)$/.test(data)) {
      this.deeds.running = true;
      return this.#nonStop ? "OK" : undefined;
    }
    if (data === "D") {
      this.deeds.detached = true;
      this.deeds.running = true;
      return "OK";
    }
    if (data === "k") {
      this.deeds.killed = true;
      return undefined;
    }
    const memory = /^([mx])([\da-f]+),([\da-f]+)$/.exec(data);
    if (memory !== null) {
      return this.#memory(memory[1], BigInt(`0x${memory[2]}`), parseInt(memory[3], 16));
    }
    if (data.startsWith("qXfer:features:read:")) {
      if (isDebugserver) return "E00";
      const [, annex, offset, length] = /read:([^:]*):([\da-f]+),([\da-f]+)$/.exec(data)!;
      return this.#transfer(this.#document()[annex], offset, length);
    }
    return isDebugserver ? this.#answerLldb(data) : this.#answerGdb(data);
  }

  #transfer(text: string | undefined, offset: string, length: string): string {
    if (text === undefined) return "E01";
    const from = parseInt(offset, 16);
    // As little as a stub likes.
    const part = text.slice(from, from + Math.min(parseInt(length, 16), 700));
    return `${from + part.length < text.length ? "m" : "l"}${part}`;
  }

  #memory(letter: string, address: bigint, length: number): string | Uint8Array {
    if (letter === "x" && this.#manners !== "debugserver") return "";
    if (length === 0) return letter === "x" ? "OK" : "";
    const bytes = this.#read(address, length);
    // gdbserver reads all or nothing.
    const isShort = this.#manners === "debugserver" ? bytes.length === 0 : bytes.length < length;
    if (isShort) return this.#manners === "debugserver" ? "E08" : "E01";
    return letter === "x" ? bytes : hex(bytes);
  }

  #answerLldb(data: string): string | undefined {
    const { pointerSize, cpuType } = this.#arch;
    const register = /^qRegisterInfo([\da-f]+)$/.exec(data)?.[1];
    if (register !== undefined) {
      const row = this.#registers[parseInt(register, 16)];
      if (row === undefined) return "E45";
      return `name:${row.name};bitsize:${row.size * 8};encoding:uint;format:hex;` +
        `set:General Purpose Registers;gcc:${parseInt(register, 16)};`;
    }
    const one = /^p([\da-f]+);thread:([\da-f]+);$/.exec(data);
    if (one !== null) {
      const index = this.#threads.findIndex(({ id }) => id === BigInt(`0x${one[2]}`));
      return hex(this.#registers[parseInt(one[1], 16)].value(index));
    }
    if (data.startsWith("g")) return "E74";
    const region = /^qMemoryRegionInfo:([\da-f]+)$/.exec(data)?.[1];
    if (region !== undefined) return this.#region(BigInt(`0x${region}`));
    switch (data) {
      case "QThreadSuffixSupported":
      case "QSetDetachOnError:1":
        return "OK";
      case "qHostInfo":
        return `cputype:${cpuType};cpusubtype:2;ostype:macosx;vendor:apple;endian:little;ptrsize:${pointerSize};` +
          (this.addressBits === 0 ? "" : `addressing_bits:${this.addressBits};`);
      case "qProcessInfo":
        return `pid:1001;parent-pid:1;cputype:${cpuType.toString(16)};cpusubtype:2;ostype:macosx;` +
          `vendor:apple;endian:little;ptrsize:${pointerSize};`;
      case "qGDBServerVersion":
        return "name:debugserver;version:1500;";
      case "qShlibInfoAddr":
        return infosAddress.toString(16);
      case "jThreadsInfo":
        return JSON.stringify(this.#threads.map(({ id, name }, index) => ({
          tid: Number(id),
          reason: index === 0 ? "signal" : "none",
          ...(index === 0 ? { signal: 17 } : {}),
          ...(name === "" ? {} : { name }),
          registers: Object.fromEntries(
            this.#registers.map(({ value }, number) => [number, hex(value(index))]),
          ),
        })));
    }
    return "";
  }

  #region(address: bigint): string {
    const regions = this.#kernel.vmRegions(1, address, 2);
    const [first] = regions;
    const field = (start: bigint, size: bigint) =>
      `start:${start.toString(16)};size:${size.toString(16)};`;
    if (first === undefined) return field(address, (1n << 64n) - address - 1n);
    if (first.address > address) return field(address, first.address - address);
    const { protection } = first;
    const letters = `${protection & 1 ? "r" : ""}${protection & 2 ? "w" : ""}${
      protection & 4 ? "x" : ""
    }`;
    return `${field(first.address, first.size)}permissions:${letters};`;
  }

  #answerGdb(data: string): string | Uint8Array | undefined {
    const selected = /^Hg(?:p[\da-f]+\.)?(-?[\da-f]+)$/.exec(data)?.[1];
    if (selected !== undefined) {
      if (selected !== "0") {
        this.#selected = this.#threads.findIndex(({ id }) => id === BigInt(`0x${selected}`));
      }
      return this.#selected >= 0 ? "OK" : "E01";
    }
    if (data === "g") {
      if (this.#selected < 0) return "E01";
      // And v0, of which nothing is known.
      return this.#registers.map(({ value }) => hex(value(this.#selected))).join("") +
        "x".repeat(32) + (this.addressBits === 0 ? "" : hex(this.#mask));
    }
    if (data === "qC") return `QC${this.#id(0)}`;
    if (data === "qAttached") return "1";
    const threads = this.#manners === "gdbserver"
      ? /^qXfer:threads:read::(.*),(.*)$/.exec(data)
      : null;
    if (threads !== null) {
      const rows = this.#threads.map(({ id, name }) =>
        `<thread id="${id.toString(16)}" core="0"${name === "" ? "" : ` name="${name}"`}/>`
      );
      return this.#transfer(`<threads>\n${rows.join("\n")}\n</threads>\n`, threads[1], threads[2]);
    }
    // One thread a packet, as gdbserver does.
    if (data === "qfThreadInfo") {
      this.#unreported = this.#threads.map((_, index) => index).slice(1);
      return `m${this.#id(0)}`;
    }
    if (data === "qsThreadInfo") {
      const next = this.#unreported.shift();
      return next === undefined ? "l" : `m${this.#id(next)}`;
    }
    const extra = /^qThreadExtraInfo,([\da-f]+)$/.exec(data)?.[1];
    if (extra !== undefined) {
      const name = this.#threads.find(({ id }) => id === BigInt(`0x${extra}`))?.name ?? "";
      return hex(encoder.encode(name));
    }
    if (data.startsWith("vFile:") && this.#manners === "gdbserver") return this.#file(data);
    if (data === "QNonStop:1" && this.#manners === "gdbserver") {
      this.#nonStop = true;
      return "OK";
    }
    if (data === "vCont;t") {
      this.deeds.running = false;
      this.#unreported = this.#threads.map((_, index) => index);
      const first = this.#unreported.shift()!;
      this.#send("OK");
      this.raw(packet(`Stop:${this.#stopReply(first)}`, "%"));
      return undefined;
    }
    if (data === "vStopped") {
      const next = this.#unreported.shift();
      return next === undefined ? "OK" : this.#stopReply(next);
    }
    return "";
  }

  /** Another file, as gdb's manual says ("File-I/O Remote Protocol Extension"). */
  #otherFile(data: string): string | Uint8Array | undefined {
    if (this.fileContents.length === 0) return undefined;
    if (data.startsWith("vFile:open:")) return "F7";
    if (data === "vFile:fstat:7") {
      const reply = new Uint8Array(4 + 64);
      reply.set(encoder.encode("F40;"));
      new DataView(reply.buffer).setBigUint64(4 + 28, BigInt(this.fileContents.length));
      return reply;
    }
    const [, length, offset] = /^vFile:pread:7,([\da-f]+),([\da-f]+)$/.exec(data) ?? [];
    if (length === undefined) return undefined;
    const from = parseInt(offset, 16);
    const part = this.fileContents.subarray(from, from + parseInt(length, 16));
    const head = encoder.encode(`F${part.length.toString(16)};`);
    const reply = new Uint8Array(head.length + part.length);
    reply.set(head);
    reply.set(part, head.length);
    return reply;
  }

  /** `/proc/PID/maps`, as the Linux kernel writes it. */
  #file(data: string): string | Uint8Array {
    if (data === `vFile:open:${hex(encoder.encode("/proc/1000/maps"))},0,0`) return "F6";
    const other = this.#otherFile(data);
    if (other !== undefined) return other;
    const [, length, offset] = /^vFile:pread:6,([\da-f]+),([\da-f]+)$/.exec(data) ?? [];
    if (length === undefined) return data.startsWith("vFile:close") ? "F0" : "F-1,2";
    const lines = this.#kernel.vmRegions(1, 0n, 10_000).map(
      ({ address, size, protection, path }) => {
        const place = [address, address + size].map((at) => at.toString(16).padStart(8, "0")).join(
          "-",
        );
        const letters = ["r", "w", "x"].map((letter, bit) => protection >> bit & 1 ? letter : "-");
        const file = address === infosAddress ? "/memfd:dyld_all_image_infos (deleted)" : path;
        return `${place} ${letters.join("")}p 00000000 00:00 0 `.padEnd(73) + `${file}\n`;
      },
    );
    const from = parseInt(offset, 16);
    const part = lines.join("").slice(from, from + Math.min(parseInt(length, 16), 500));
    return `F${part.length.toString(16)};${part}`;
  }

  [Symbol.dispose](): void {
    this.closed = true;
  }
}

function plainPacket(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  const sum = bytes.reduce((sum, byte) => (sum + byte) % 256, 0).toString(16).padStart(2, "0");
  return encoder.encode(`$${decoder.decode(bytes)}#${sum}`);
}
