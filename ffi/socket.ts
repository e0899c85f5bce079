/** A synchronous TCP connection, made with the C library's calls. Everything that looks at a target is
 * synchronous, and Deno's connections are not. */
import { type ByteStream, RemoteError } from "../lib/remote/mod.ts";

const isMac = Deno.build.os === "darwin";

const symbols = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  listen: { parameters: ["i32", "i32"], result: "i32" },
  accept: { parameters: ["i32", "pointer", "pointer"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  // fcntl is variadic. Apple's arm64 ABI passes variadic arguments on the stack, where the ninth argument
  // goes. The other ABIs pass this one in the third register.
  fcntl: {
    parameters: ["i32", "i32", "i64", "i64", "i64", "i64", "i64", "i64", "i64"],
    result: "i32",
  },
  getaddrinfo: {
    parameters: ["buffer", "buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  freeaddrinfo: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

let opened: Deno.DynamicLibrary<typeof symbols>["symbols"] | undefined;

/** The C library. */
export const libcPath: string = isMac ? "/usr/lib/libSystem.B.dylib" : "libc.so.6";

function libc(): Deno.DynamicLibrary<typeof symbols>["symbols"] {
  return opened ??= Deno.dlopen(libcPath, symbols).symbols;
}

const inet = 2; // AF_INET
const stream = 1; // SOCK_STREAM
/** `SOL_SOCKET`, `SO_ERROR`, `SO_KEEPALIVE`; `IPPROTO_TCP`, `TCP_NODELAY`. */
const solSocket = isMac ? 0xffff : 1;
const soError = isMac ? 0x1007 : 4;
const soKeepAlive = isMac ? 8 : 9;
const tcp = 6;
const noDelay = 1;
/** `MSG_NOSIGNAL`; on Darwin Deno's runtime ignores `SIGPIPE`. */
const noSignal = isMac ? 0 : 0x4000;
const setDescriptorFlags = 2; // F_SETFD
const closeOnExec = 1n;
const setFlags = 4; // F_SETFL
const nonBlock = isMac ? 4n : 0x800n;
const readable = 1; // POLLIN
const writable = 4; // POLLOUT
const failed = 8 | 16; // POLLERR, POLLHUP

/** Makes a descriptor private to this process, and its calls return at once. */
function prepare(descriptor: number): void {
  const set = (command: number, value: bigint) =>
    libc().fcntl(descriptor, command, value, 0n, 0n, 0n, 0n, 0n, value);
  set(setDescriptorFlags, closeOnExec);
  set(setFlags, nonBlock);
}

/** Waits for events; returns those that have happened. */
function wait(descriptor: number, events: number, milliseconds: number): number {
  const entry = new Uint8Array(8);
  const view = new DataView(entry.buffer);
  view.setInt32(0, descriptor, true);
  view.setInt16(4, events, true);
  const late = performance.now() + milliseconds;
  for (;;) {
    const left = Math.max(0, late - performance.now());
    const count = libc().poll(entry, 1n, Math.ceil(Math.min(left, 0x7fff_ffff)));
    // A signal ends the wait early, as of a child's end or of a window that changes its size.
    if (count >= 0 || left === 0) return count > 0 ? view.getInt16(6, true) : 0;
  }
}

/** An open TCP connection. */
export class Socket implements ByteStream {
  #descriptor: number;
  readonly #name: string;

  constructor(descriptor: number, name: string) {
    this.#descriptor = descriptor;
    this.#name = name;
    prepare(descriptor);
    const on = new Uint8Array(Int32Array.of(1).buffer);
    libc().setsockopt(descriptor, tcp, noDelay, on, 4);
    libc().setsockopt(descriptor, solSocket, soKeepAlive, on, 4);
  }

  /** The file descriptor, for a process that inherits it. */
  get descriptor(): number {
    return this.#descriptor;
  }

  transfer(
    output: Uint8Array,
    input: Uint8Array,
    milliseconds: number,
  ): { written: number; read: number } {
    if (this.#descriptor < 0) throw this.#closed();
    const wanted = (input.length > 0 ? readable : 0) | (output.length > 0 ? writable : 0);
    const events = wait(this.#descriptor, wanted, milliseconds);
    let read = 0;
    if ((events & (readable | failed)) !== 0 && input.length > 0) {
      const got = Number(
        libc().recv(this.#descriptor, input as Uint8Array<ArrayBuffer>, BigInt(input.length), 0),
      );
      if (got === 0 || (got < 0 && (events & failed) !== 0)) throw this.#closed();
      read = Math.max(0, got);
    }
    let written = 0;
    if ((events & writable) !== 0 && output.length > 0) {
      const sent = Number(
        libc().send(
          this.#descriptor,
          output as Uint8Array<ArrayBuffer>,
          BigInt(output.length),
          noSignal,
        ),
      );
      if (sent < 0 && read === 0 && (events & failed) !== 0) throw this.#closed();
      written = Math.max(0, sent);
    }
    return { written, read };
  }

  #closed(): RemoteError {
    return new RemoteError("closed", `${this.#name} closed the connection`);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor >= 0) libc().close(this.#descriptor);
    this.#descriptor = -1;
  }
}

/** Connects to a TCP port.
 *
 * @throws RemoteError when that is not possible in time
 */
export async function connectTo(
  host: string,
  port: number,
  milliseconds: number,
): Promise<Socket> {
  const name = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const late = performance.now() + milliseconds;
  let error = new RemoteError("connect", `${name}: there is no such host`);
  for (const { family, bytes } of await addressesOf(host, port)) {
    const descriptor = libc().socket(family, stream, 0);
    if (descriptor < 0) continue;
    prepare(descriptor);
    libc().connect(descriptor, bytes as Uint8Array<ArrayBuffer>, bytes.length);
    let events = wait(descriptor, writable, 20);
    while (events === 0 && performance.now() < late) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      events = wait(descriptor, writable, 0);
    }
    const code = new Int32Array(1);
    const size = Uint32Array.of(4);
    libc().getsockopt(descriptor, solSocket, soError, code, size);
    if (events !== 0 && code[0] === 0) return new Socket(descriptor, name);
    libc().close(descriptor);
    error = new RemoteError("connect", `${name}: ${reasonOf(events === 0 ? 0 : code[0])}`);
  }
  throw error;
}

/** `errno` values, of Linux and Darwin. */
const refusedCodes = [111, 61];
const unreachableCodes = [101, 113, 51, 65];

function reasonOf(code: number): string {
  if (code === 0) return "no answer";
  if (refusedCodes.includes(code)) return "nothing listens there";
  if (unreachableCodes.includes(code)) return "no way leads there";
  return `errno ${code}`;
}

interface SocketAddress {
  readonly family: number;
  readonly bytes: Uint8Array;
}

/** `struct addrinfo` of 64-bit systems. */
const addressInfo = {
  size: 48,
  family: 4,
  type: 8,
  length: 16,
  address: isMac ? 32 : 24,
  next: 40,
};
/** Maximum number of addresses tried. */
const maxAddresses = 8;

async function addressesOf(host: string, port: number): Promise<SocketAddress[]> {
  const encoder = new TextEncoder();
  const hints = new Uint8Array(addressInfo.size);
  new DataView(hints.buffer).setInt32(addressInfo.type, stream, true);
  const result = new BigUint64Array(1);
  const code = await libc().getaddrinfo(
    encoder.encode(`${host}\0`),
    encoder.encode(`${port}\0`),
    hints,
    result,
  );
  if (code !== 0) return [];
  const addresses: SocketAddress[] = [];
  const first = Deno.UnsafePointer.create(result[0]);
  let pointer = first;
  while (pointer !== null && addresses.length < maxAddresses) {
    const view = new Deno.UnsafePointerView(pointer);
    const length = view.getUint32(addressInfo.length);
    const address = view.getPointer(addressInfo.address);
    if (address !== null && length > 0 && length <= 128) {
      const bytes = new Uint8Array(length);
      Deno.UnsafePointerView.copyInto(address, bytes);
      addresses.push({ family: view.getInt32(addressInfo.family), bytes });
    }
    pointer = view.getPointer(addressInfo.next);
  }
  if (first !== null) libc().freeaddrinfo(first);
  return addresses;
}

/** A port of this machine's own that a stub connects to. */
export class Listener implements Disposable {
  readonly #descriptor: number;
  readonly port: number;

  constructor() {
    const descriptor = this.#descriptor = libc().socket(inet, stream, 0);
    prepare(descriptor);
    // Port 0 means any free port. On Darwin the first byte is the size.
    const address = new Uint8Array(16);
    if (isMac) address[0] = 16;
    address[isMac ? 1 : 0] = inet;
    address.set([127, 0, 0, 1], 4);
    const size = Uint32Array.of(16);
    if (
      descriptor < 0 || libc().bind(descriptor, address, 16) !== 0 ||
      libc().listen(descriptor, 1) !== 0 || libc().getsockname(descriptor, address, size) !== 0
    ) {
      if (descriptor >= 0) libc().close(descriptor);
      throw new RemoteError("connect", "no port of 127.0.0.1 can be listened on");
    }
    this.port = new DataView(address.buffer).getUint16(2);
  }

  /** The connection, if one was made. */
  accept(name: string): Socket | undefined {
    if (wait(this.#descriptor, readable, 0) === 0) return undefined;
    const descriptor = libc().accept(this.#descriptor, null, null);
    return descriptor < 0 ? undefined : new Socket(descriptor, name);
  }

  [Symbol.dispose](): void {
    libc().close(this.#descriptor);
  }
}
