/** The target's address space, as the stub or its machine tells it. */
import type { Region } from "../target/walking.ts";
import { textOf } from "./packet.ts";
import type { Stub } from "./stub.ts";
import type { StubRegion } from "./stub_memory.ts";

/** Maximum size of `/proc/PID/maps`, in bytes. */
const maxMaps = 16 << 20;
/** Maximum number of regions. */
const maxRegions = 1 << 17;
/** `VM_MEMORY_STACK`. */
const stackTag = 30;
const allProtections = 7;

/** All regions, in rising order; empty where neither the stub nor its machine tells them. */
export function readRegions(stub: Stub): Region[] {
  const maps = stub.system === "darwin" || stub.pid === 0
    ? null
    : stub.transfers.readFile(`/proc/${stub.pid}/maps`, maxMaps);
  const regions = maps === null ? [] : parseMaps(textOf(maps));
  return regions.length > 0 ? regions : askRegions(stub);
}

/** Reads `/proc/PID/maps` (`proc_pid_maps(5)`). */
export function parseMaps(text: string): Region[] {
  const line =
    /^([\da-f]{1,16})-([\da-f]{1,16}) ([r-][w-][x-][ps]) ([\da-f]{1,16}) \S+ \d+[ \t]*(.*)$/gm;
  const regions: Region[] = [];
  for (const [, start, end, permissions, offset, name] of text.matchAll(line)) {
    const address = BigInt(`0x${start}`);
    const size = BigInt(`0x${end}`) - address;
    if (size <= 0n || regions.length >= maxRegions) continue;
    // The kernel writes spaces and newlines of a path in octal.
    const path = name.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));
    regions.push({
      address,
      size,
      offset: BigInt(`0x${offset}`),
      protection: (permissions[0] === "r" ? 1 : 0) | (permissions[1] === "w" ? 2 : 0) |
        (permissions[2] === "x" ? 4 : 0),
      maxProtection: allProtections,
      userTag: path.startsWith("[stack") ? stackTag : 0,
      shareMode: 0,
      depth: 0,
      // A name in brackets, as [heap], is not a file. The vdso is one that the kernel has.
      path: path.startsWith("/") || path === "[vdso]" ? path : "",
    });
  }
  return regions;
}

function askRegions(stub: Stub): Region[] {
  const regions: Region[] = [];
  const limit = 1n << BigInt(stub.arch.pointerSize * 8);
  for (let address = 0n; address < limit && regions.length < maxRegions;) {
    const [region] = stub.memory.regionsAt([address]);
    if (region === undefined) break;
    if (region.protection !== undefined) regions.push(regionOf(region, region.protection));
    address = region.end;
  }
  return regions;
}

function regionOf({ start, end, path, isStack }: StubRegion, protection: number): Region {
  return {
    address: start,
    size: end - start,
    offset: 0n,
    protection,
    maxProtection: allProtections,
    userTag: isStack ? stackTag : 0,
    shareMode: 0,
    depth: 0,
    path,
  };
}
