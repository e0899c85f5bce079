/** What images say of themselves, where no tool of LLVM's says it too: kinds of exports, code signatures,
 * encryption, notes, names of architectures. */

import { assert, assertEquals } from "@std/assert";
import { readExports } from "../../../lib/macho/exports.ts";
import { readCodeSignature } from "../../../lib/macho/code_signature.ts";
import {
  archName,
  bytesSource,
  cdHash,
  flagNames,
  HEADER_FLAGS,
  MachOFile,
  type MachOSlice,
  SymbolList,
} from "../../../lib/macho/mod.ts";
import { buildImage, uleb } from "./build_image.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url);
const open = (bytes: Uint8Array): MachOSlice => new MachOFile(bytesSource(bytes, "file")).images[0];

const text = (value: string): number[] => [...new TextEncoder().encode(value), 0];

/** A trie whose root has one child for each name, with the terminal part given. */
function trie(terminals: Record<string, number[]>): Uint8Array {
  const names = Object.keys(terminals);
  let at = 2 + names.reduce((sum, name) => sum + name.length + 3, 0);
  const root: number[] = [0, names.length];
  const nodes: number[] = [];
  for (const name of names) {
    root.push(...text(name), (at & 0x7f) | 0x80, at >> 7);
    const node = [...uleb(terminals[name].length), ...terminals[name], 0];
    nodes.push(...node);
    at += node.length;
  }
  return Uint8Array.from([...root, ...nodes]);
}

Deno.test("exports of every kind", () => {
  const plain = { weak: false, resolver: null, reexport: null };
  const { entries, complete } = readExports(trie({
    _regular: [0, ...uleb(0x1000)],
    _thread: [1, ...uleb(0x2000)],
    _absolute: [2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    _weak: [4, ...uleb(0x3000)],
    _renamed: [8, ...uleb(2), ...text("_original")],
    _again: [8, ...uleb(1), ...text("")],
    _chosen: [0x10, ...uleb(0x4000), ...uleb(0x5000)],
  }));
  assertEquals(complete, true);
  assertEquals(entries, [
    { ...plain, name: "_regular", kind: "regular", value: 0x1000n },
    { ...plain, name: "_thread", kind: "thread-local", value: 0x2000n },
    { ...plain, name: "_absolute", kind: "absolute", value: 0xffffffffffffffffn },
    { ...plain, name: "_weak", kind: "regular", weak: true, value: 0x3000n },
    {
      ...plain,
      name: "_renamed",
      kind: "regular",
      value: null,
      reexport: { ordinal: 2, name: "_original" },
    },
    {
      ...plain,
      name: "_again",
      kind: "regular",
      value: null,
      reexport: { ordinal: 1, name: "_again" },
    },
    { ...plain, name: "_chosen", kind: "regular", value: 0x4000n, resolver: 0x5000n },
  ]);
  // A re-export whose name has no end costs itself alone.
  const damaged = readExports(trie({ _a: [8, 1, 0x61], _b: [0, 16] }));
  assertEquals([damaged.entries.map(({ name }) => name), damaged.complete], [["_b"], false]);
});

/** One blob: magic, length, content. */
function blob(magic: number, content: number[]): number[] {
  const head = new DataView(new ArrayBuffer(8));
  head.setUint32(0, magic);
  head.setUint32(4, content.length + 8);
  return [...new Uint8Array(head.buffer), ...content];
}

const be32 = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);

function superBlob(blobs: [slot: number, bytes: number[]][]): Uint8Array {
  let at = 12 + 8 * blobs.length;
  const index: number[] = [];
  for (const [slot, bytes] of blobs) {
    index.push(...be32(slot), ...be32(at));
    at += bytes.length;
  }
  const all = [...be32(0xfade0cc0), ...be32(at), ...be32(blobs.length), ...index];
  return Uint8Array.from([...all, ...blobs.flatMap(([, bytes]) => bytes)]);
}

Deno.test("a code signature with team, hardened runtime and entitlements", async () => {
  // version 0x20400: the identifier at 88, the team at 100, then no hashes.
  const directory = blob(0xfade0c02, [
    ...[0x20400, 0x10000, 112, 88, 0, 3, 0x5000].flatMap(be32),
    ...[32, 2, 0, 12],
    ...[0, 0, 100, 0, 0, 0].flatMap(be32),
    ...Array(24).fill(0),
    ...text("com.example"),
    ...text("ABCDE12345"),
  ]);
  const entitlements = "<plist><dict/></plist>";
  const bytes = superBlob([
    [0, directory],
    [5, blob(0xfade7171, [...new TextEncoder().encode(entitlements)])],
    [0x10000, blob(0xfade0b01, [1, 2, 3])],
  ]);
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const signature = readCodeSignature(bytes, warn)!;
  assertEquals(warnings, []);
  const [{ identifier, team, flagNames, hashType, pageSize, codeSlots, codeLimit }] =
    signature.codeDirectories;
  assertEquals(
    { identifier, team, flagNames, hashType, pageSize, codeSlots, codeLimit },
    {
      identifier: "com.example",
      team: "ABCDE12345",
      flagNames: ["runtime"],
      hashType: "sha256",
      pageSize: 4096,
      codeSlots: 3,
      codeLimit: 0x5000,
    },
  );
  assertEquals([signature.entitlements, signature.cmsSize], [entitlements, 3]);
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(directory));
  assertEquals(
    await cdHash(signature.codeDirectories[0]),
    new Uint8Array(digest).slice(0, 20).toHex(),
  );
  for (let length = 0; length < bytes.length; length++) {
    readCodeSignature(bytes.slice(0, length), warn);
  }
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice();
    damaged[at] ^= 0xff;
    readCodeSignature(damaged, warn);
  }
});

Deno.test("a linker's signature: its hashes are those of the file's pages", async () => {
  const bytes = Deno.readFileSync(new URL("arm64/demo", fixtures));
  const [directory] = open(bytes).codeSignature()!.codeDirectories;
  assertEquals(directory.flagNames, ["adhoc", "linker-signed"]);
  assertEquals(directory.identifier, "demo");
  const view = new DataView(directory.bytes.buffer, directory.bytes.byteOffset);
  const hashes = view.getUint32(16);
  for (let page = 0; page < directory.codeSlots; page++) {
    const start = page * directory.pageSize;
    const end = Math.min(start + directory.pageSize, directory.codeLimit);
    const digest = await crypto.subtle.digest("SHA-256", bytes.slice(start, end));
    const slot = directory.bytes.slice(hashes + 32 * page, hashes + 32 * page + 32);
    assertEquals(new Uint8Array(digest), slot, `page ${page}`);
  }
});

/** An image with one more load command. */
function withCommand(command: number, content: number[]): MachOSlice {
  const bytes = buildImage({ dylibs: [" ".repeat(content.length)] });
  const image = open(bytes);
  const { offset, size } = image.loadCommands.at(-1)!;
  new DataView(bytes.buffer).setUint32(offset, command, true);
  bytes.fill(0, offset + 8, offset + size);
  bytes.set(content, offset + 8);
  return open(bytes);
}

const le32 = (value: number): number[] => be32(value).reverse();

Deno.test("encryption, notes, linker options and unknown commands", () => {
  const encrypted = withCommand(0x2c, [0x4000, 0x8000, 1, 0].flatMap(le32));
  assertEquals(encrypted.encryption, { offset: 0x4000, size: 0x8000, id: 1 });
  assertEquals(open(buildImage({})).encryption, null);
  const owner = [...text("all image infos")];
  const note = withCommand(0x31, [...owner, ...le32(0x1234), ...le32(0), ...le32(8), ...le32(1)]);
  assertEquals(note.notes, [{ owner: "all image infos", offset: 0x1234n, size: 0x1_0000_0008n }]);
  const option = withCommand(0x2d, [...le32(2), ...text("-framework"), ...text("Cocoa")]);
  assertEquals(option.loadCommands.at(-1)!.fields, { count: 2, strings: ["-framework", "Cocoa"] });
  const unknown = withCommand(0x7777, []).loadCommands.at(-1)!;
  assertEquals([unknown.name, unknown.command, unknown.fields], ["LC_0x7777", 0x7777, {}]);
});

Deno.test("architectures have the names that lipo gives them", () => {
  const names: [type: number, subtype: number, name: string][] = [
    [12, 9, "armv7"],
    [12, 11, "armv7s"],
    [12, 12, "armv7k"],
    [0x0100000c, 0, "arm64"],
    [0x0100000c, 0x80000002, "arm64e"],
    [0x0200000c, 1, "arm64_32"],
    [7, 3, "i386"],
    [0x01000007, 3, "x86_64"],
    [0x01000007, 8, "x86_64h"],
    [99, 1, "cputype 99 cpusubtype 1"],
  ];
  for (const [type, subtype, name] of names) assertEquals(archName(type, subtype), name);
  const watch = buildImage({ is64: false, cpuType: 0x0200000c });
  new DataView(watch.buffer).setUint32(8, 1, true);
  assertEquals([open(watch).arch, open(watch).header.pointerSize], ["arm64_32", 4]);
  assertEquals(open(watch).uuid, null);
  const demo = open(
    Deno.readFileSync(new URL("../../../examples/demo/arm64/demo", import.meta.url)),
  );
  assert(demo.uuid !== null);
  assertEquals(demo.uuid, demo.image.uuid);
  assertEquals(flagNames(0x40200085, HEADER_FLAGS), [
    ...["NOUNDEFS", "DYLDLINK", "TWOLEVEL", "PIE", "0x40000000"],
  ]);
});

Deno.test("symbols: nm's letters and order", () => {
  const strings = new TextEncoder().encode("\0_b\0_a\0_target\0");
  const entries: [name: number, type: number, section: number, value: bigint][] = [
    [1, 0x0f, 1, 0xffffffff_00000010n],
    [4, 0x0e, 2, 0x10n],
    [1, 0x0f, 3, 0x10n],
    [4, 0x01, 0, 0n],
    [1, 0x01, 0, 8n],
    [4, 0x02, 0, 0x20n],
    [1, 0x0b, 0, 7n],
    [4, 0x0e, 4, 0x30n],
    [1, 0x24, 1, 0x10n],
    [4, 0x00, 0, 0n],
    [0, 0x0d, 0, 0n],
  ];
  const table = new Uint8Array(16 * entries.length);
  const view = new DataView(table.buffer);
  entries.forEach(([name, type, section, value], index) => {
    view.setUint32(16 * index, name, true);
    view.setUint8(16 * index + 4, type);
    view.setUint8(16 * index + 5, section);
    view.setBigUint64(16 * index + 8, value, true);
  });
  const section = (segmentName: string, name: string) => ({ segmentName, name });
  const list = new SymbolList(table, strings, 8, [
    section("__TEXT", "__text"),
    section("__DATA", "__data"),
    section("__DATA", "__bss"),
    section("__TEXT", "__const"),
  ]);
  assertEquals([...list].map(({ letter }) => letter).join(""), "TdBUCaIs-?U");
  assertEquals(list.at(6).indirect, "_target");
  assertEquals(list.at(8).stab, "FUN");
  const lines = [...list.lines(list.byAddress(true), (name) => name)]
    .map((piece) => new TextDecoder().decode(piece)).join("");
  assertEquals(lines.split("\n").slice(0, 5), [
    "                 U ",
    "                 U _a",
    "0000000000000000 ? _a",
    "0000000000000007 I _b (indirect for _target)",
    "0000000000000008 C _b",
  ]);
  assertEquals(lines.split("\n").at(-2), "ffffffff00000010 T _b");
  assertEquals(list.byAddress(false).length, entries.length - 1);
});
