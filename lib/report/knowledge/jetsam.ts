/** Why the kernel ends processes for memory: a JetsamEvent has the reason by its name, a termination by its code. */

import type { KnowledgeRow } from "./row.ts";

/** The code of `JETSAM_REASON_*`, `null` for those of older systems; the name, `null` where memory is not the reason; what it
 * means, usual causes, what to do. */
const reasons: readonly (readonly [
  code: number | null,
  name: string | null,
  meaning: string,
  causes: readonly string[],
  next: string,
])[] = [
  [
    1,
    "jettisoned",
    "memory was short or the system asked for it, of which no more is said",
    [],
    "",
  ],
  [
    2,
    "highwater",
    "it was above its own soft limit (high-water mark) while memory was short",
    [],
    "",
  ],
  [
    3,
    "vnode-limit",
    "the kernel had no more vnodes: too many files were in use in the whole system",
    [],
    "",
  ],
  [
    4,
    "vm-pageshortage",
    "memory was short in the whole system",
    [],
    "See which processes were large: the one that was ended need not be what used the memory.",
  ],
  [5, "proc-thrashing", "the system was thrashing", [], ""],
  [
    6,
    "fc-thrashing",
    "the file cache was thrashing",
    [],
    "",
  ],
  [
    7,
    "per-process-limit",
    "it was above the memory limit for its kind of process",
    [],
    "See what its memory is used for: a memory graph shows what it keeps.",
  ],
  [
    8,
    "disk-space-shortage",
    "the disk was too full to keep the memory of processes that are suspended",
    [],
    "Free space on the device.",
  ],
  [
    9,
    "idle-exit",
    "it was idle, which is normal",
    [],
    "Nothing: idle processes are ended at any time.",
  ],
  [
    10,
    "zone-map-exhaustion",
    "the kernel's own memory was exhausted",
    ["a leak of kernel objects, such as ports or files"],
    "Look for leaks of kernel objects; largestZone of a JetsamEvent report has their kind.",
  ],
  [
    11,
    "vm-compressor-thrashing",
    "the memory compressor was thrashing",
    [],
    "",
  ],
  [null, "vm-thrashing", "the memory compressor was thrashing", [], ""],
  [
    12,
    "vm-compressor-space-shortage",
    "the memory compressor had no space left",
    [],
    "",
  ],
  [13, "low-swap", "swap was nearly used up", [], ""],
  [
    14,
    "sustained-memory-pressure",
    "memory was short for long",
    [],
    "",
  ],
  [
    15,
    "vm-pageout-starvation",
    "the kernel could not page out fast enough",
    [],
    "",
  ],
  [
    17,
    "long-idle-exit",
    "it was idle for long, which is normal",
    [],
    "Nothing: idle processes are ended at any time.",
  ],
  [100, null, "it was above the limit of CPU time", [], ""],
  [
    null,
    "vm",
    "memory was short in the whole system",
    [],
    "See which processes were large: the one that was ended need not be what used the memory.",
  ],
  [null, "fc-threshold", "the file cache was too small", [], ""],
];

const names = "XNU, bsd/kern/kern_memorystatus.c: memorystatus_kill_cause_name";
const codes = "XNU, bsd/sys/kern_memorystatus.h: JETSAM_REASON_*";

/** See {@linkcode KnowledgeRow}. */
export const jetsamRows = (): readonly KnowledgeRow[] =>
  reasons.flatMap(
    ([code, name, meaning, causes, next]) => {
      const row = { meaning, causes, next };
      const rows: KnowledgeRow[] = [];
      if (name !== null) rows.push({ kind: "jetsam", key: name, ...row, source: names });
      if (code !== null) {
        rows.push({
          kind: "termination",
          key: `JETSAM:0x${code.toString(16)}`,
          ...row,
          source: codes,
        });
      }
      return rows;
    },
  );
