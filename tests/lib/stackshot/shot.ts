/** What a made stackshot says, for the encoders of both forms and for whoever checks what was read. */

export interface Frame {
  readonly lr: bigint;
  readonly fp: bigint;
}

export interface Thread {
  readonly id: bigint;
  readonly name?: string;
  readonly queue?: string;
  readonly queueSerial?: bigint;
  readonly state?: number;
  /** Those beside `kUser64_p` and `kKernel64_p`. */
  readonly flags?: number;
  readonly waitEvent?: bigint;
  readonly continuation?: bigint;
  /** Absolute. */
  readonly userTime?: bigint;
  readonly systemTime?: bigint;
  readonly kernel?: readonly Frame[];
  readonly user?: readonly Frame[];
  readonly kernel32?: boolean;
  readonly user32?: boolean;
  /** Frames without stack pointers. */
  readonly lrOnly?: boolean;
  readonly async?: { readonly start: number; readonly lr: readonly bigint[] };
  /** Of the structure. */
  readonly version?: 2 | 3 | 4;
}

export interface LoadInfo {
  readonly uuid: string;
  readonly address: bigint;
}

export interface SharedCache {
  readonly uuid: string;
  readonly slide: bigint;
  readonly base: bigint;
}

export interface Task {
  readonly pid: number;
  readonly uniqueId: bigint;
  readonly name: string;
  readonly flags?: number;
  readonly cpuType?: number;
  readonly suspendCount?: number;
  readonly images?: readonly LoadInfo[];
  readonly images32?: boolean;
  readonly textExec?: readonly LoadInfo[];
  readonly sharedCache?: SharedCache;
  readonly donating?: readonly number[];
  readonly waits?: readonly {
    readonly waiter: bigint;
    readonly owner: bigint;
    readonly context: bigint;
    readonly type: number;
    readonly label?: number;
    readonly flags?: number;
  }[];
  readonly turnstiles?: readonly {
    readonly waiter: bigint;
    readonly context: bigint;
    readonly flags: bigint;
  }[];
  readonly threads: readonly Thread[];
}

export interface Shot {
  readonly osVersion: string;
  readonly sharedCache?: SharedCache;
  readonly layout?: readonly LoadInfo[];
  readonly portLabels?: readonly { readonly id: number; readonly name: string }[];
  readonly tasks: readonly Task[];
}

/** As many UUIDs as one likes. */
export function uuid(number: number): string {
  return `${number.toString(16).padStart(8, "0").toUpperCase()}-1111-4222-8333-444455556666`;
}

/** Frames that go up. */
export function frames(first: bigint, count: number, fp = 0x16fd0000n): Frame[] {
  return Array.from({ length: count }, (_, index) => ({
    lr: first + BigInt(index * 0x1010),
    fp: index === count - 1 ? 0n : fp + BigInt(index * 0x40),
  }));
}

/** The kernel, a program that waits for itself, and a 32-bit one. */
export const shot: Shot = {
  osVersion: "Darwin Kernel Version 23.0.0: root:xnu-10002/RELEASE_ARM64_T8103",
  sharedCache: { uuid: uuid(0xcac4e), slide: 0x4000n, base: 0x1_8000_4000n },
  portLabels: [{ id: 3, name: "com.example.service" }],
  tasks: [
    {
      pid: 0,
      uniqueId: 0n,
      name: "kernel_task",
      flags: 3,
      cpuType: 0x0100000c,
      images: [
        { uuid: uuid(1), address: 0xfffffe0007004000n },
        { uuid: uuid(2), address: 0xfffffe0007a00000n },
      ],
      textExec: [{ uuid: uuid(1), address: 0xfffffe0007200000n }],
      threads: [{
        id: 0x64n,
        flags: 0x100,
        state: 0x84,
        kernel: frames(0xfffffe0007200100n, 2, 0xfffffe8000001000n),
        continuation: 0xfffffe0007200200n,
      }],
    },
    {
      pid: 501,
      uniqueId: 0x1f5n,
      name: "Worker",
      cpuType: 0x0100000c,
      flags: 0x401,
      images: [
        { uuid: uuid(3), address: 0x1_0000_0000n },
        { uuid: uuid(4), address: 0x1_0010_0000n },
      ],
      donating: [77, 88],
      waits: [
        { waiter: 0x201n, owner: 0x202n, context: 0x1_0000_8000n, type: 0x0b },
        { waiter: 0x202n, owner: 0x907n, context: 0xdeadn, type: 0x02, label: 3, flags: 1 },
      ],
      turnstiles: [{ waiter: 0x201n, context: 0x202n, flags: 8n }],
      threads: [
        {
          id: 0x201n,
          name: "main",
          queue: "com.apple.main-thread",
          flags: 0x2000,
          state: 1,
          userTime: 3_000_000n,
          systemTime: 30n,
          waitEvent: 0x77n,
          kernel: frames(0xfffffe0007a00400n, 3, 0xfffffe8000002000n),
          user: frames(0x1_0000_0400n, 4),
        },
        {
          id: 0x202n,
          name: "worker",
          flags: 0x8000,
          lrOnly: true,
          kernel: frames(0xfffffe0007200300n, 1),
          user: [...frames(0x1_0010_0500n, 2), ...frames(0x1_8000_8000n, 1)],
          async: { start: 1, lr: [0x1_0000_0700n, 0x1_0000_0800n] },
        },
      ],
    },
    {
      pid: 700,
      uniqueId: 0x2bcn,
      name: "Old",
      flags: 0,
      cpuType: 12,
      images: [{ uuid: uuid(5), address: 0x4000n }],
      images32: true,
      threads: [{
        id: 0x301n,
        state: 4,
        version: 2,
        user32: true,
        user: frames(0x4400n, 2, 0x27000000n),
      }],
    },
  ],
};
