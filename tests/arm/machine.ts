/** An emulated arm64 machine: Debian's kernel, C library and busybox under `qemu-system-aarch64`, with Deno
 * in it. Programs of 32-bit ARM run under the same kernel. What is downloaded and made once is kept in
 * `build/arm/`; a boot takes some seconds. */
import { run } from "../fixtures/qemu.ts";

/** The repository's root, without a slash at its end. The machine has a copy of it at the same path, so
 * that paths in what it makes, such as cores, are true here. */
export const root: string = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** Where everything is kept. */
const store = `${root}/build/arm`;

/** Where what a job leaves in `/out` comes to. */
export const outputFolder = `${store}/out`;

/** Commands that preparing and running the machine take, and the Debian package of each. */
const tools: Readonly<Record<string, string>> = {
  "qemu-system-aarch64": "qemu-system-arm",
  "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
  "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
  "arm-linux-gnueabihf-gcc": "gcc-arm-linux-gnueabihf",
  "apt-get": "apt",
  "clang-19": "clang-19",
  "cpio": "cpio",
  "dpkg-deb": "dpkg",
  "npm": "npm",
};

/** What the machine's system is made of: Debian packages, without what those depend on. */
const guestPackages = [
  ...["libc6:arm64", "libgcc-s1:arm64", "libstdc++6:arm64", "busybox-static:arm64"],
  ...["libc6:armhf", "libgcc-s1:armhf"],
  // gdbserver, and its own libraries.
  ...["gdbserver:arm64"],
];

/** The kernel's modules, in the order of their dependencies, by their place in the kernel's tree. */
const modules = [
  ...["virtio/virtio", "virtio/virtio_ring", "virtio/virtio_mmio", "block/virtio_blk"],
  ...["../net/core/failover", "net/net_failover", "net/virtio_net"],
];

/** The machine cannot be had here, and why. */
export class Unavailable extends Error {}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function required(what: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new Unavailable(`${what}: ${error instanceof Error ? error.message : error}`);
  }
}

async function checkTools(): Promise<void> {
  const path = (Deno.env.get("PATH") ?? "").split(":");
  const missing = new Set<string>();
  for (const [command, name] of Object.entries(tools)) {
    const found = await Promise.all(path.map((folder) => exists(`${folder}/${command}`)));
    if (!found.includes(true)) missing.add(name);
  }
  if (missing.size > 0) throw new Unavailable(`packages are missing: ${[...missing].join(", ")}`);
}

/** Downloads the kernel and the packages, by an apt with a state of its own: this system's knows of no
 * other architecture. */
async function download(debs: string): Promise<void> {
  const state = `${store}/apt`;
  await Deno.remove(state, { recursive: true }).catch(() => {});
  for (const folder of ["lists/partial", "cache/archives/partial"]) {
    await Deno.mkdir(`${state}/${folder}`, { recursive: true });
  }
  await Deno.writeTextFile(`${state}/status`, "");
  const options = [
    `Dir::State=${state}`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${state}/cache`,
    "APT::Architecture=arm64",
    "APT::Architectures::=arm64",
    "APT::Architectures::=armhf",
    "Acquire::Languages=none",
    `APT::Sandbox::User=${Deno.uid() === 0 ? "root" : ""}`,
  ].flatMap((option) => ["-o", option]);
  // A mirror that is being updated lacks some lists. Whether those matter, the downloads tell.
  await run("apt-get", [...options, "update", "-q"]).catch(() => {});
  const newest = await run("apt-cache", [...options, "show", "linux-image-cloud-arm64"]);
  const kernel = /^Depends: (linux-image-[^ ,]+)/m.exec(newest)?.[1];
  if (kernel === undefined) throw new Error("there is no linux-image-cloud-arm64");
  await Deno.mkdir(debs, { recursive: true });
  await run("apt-get", [...options, "download", kernel, ...guestPackages], debs);
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

/** Takes the kernel and its modules. */
async function takeKernel(unpacked: string, rootfs: string): Promise<void> {
  const [image] = (await names(`${unpacked}/boot`)).filter((name) => name.startsWith("vmlinuz"));
  await Deno.copyFile(`${unpacked}/boot/${image}`, `${store}/vmlinuz`);
  const [version] = await names(`${unpacked}/lib/modules`);
  const order: string[] = [];
  for (const path of modules) {
    const file = `${unpacked}/lib/modules/${version}/kernel/drivers/${path}.ko`;
    const name = path.slice(path.lastIndexOf("/") + 1);
    // What is not there is part of the kernel.
    if (!await exists(file)) continue;
    await Deno.copyFile(file, `${rootfs}/modules/${name}.ko`);
    order.push(name);
  }
  await Deno.writeTextFile(`${rootfs}/modules/order`, order.map((name) => `${name}\n`).join(""));
}

/** Makes the machine's file system, once. */
async function makeRoot(): Promise<string> {
  const rootfs = `${store}/root`;
  const list = `${store}/packages`;
  const wanted = JSON.stringify([guestPackages, modules, Deno.version.deno]);
  if (await Deno.readTextFile(list).catch(() => "") === wanted) return rootfs;
  await Deno.remove(rootfs, { recursive: true }).catch(() => {});
  await Deno.remove(`${store}/debs`, { recursive: true }).catch(() => {});
  const folders = ["dev", "proc", "sys", "tmp", "root", "run", "etc", "modules"];
  for (const folder of [...folders, "usr/bin", "usr/sbin", "usr/lib"]) {
    await Deno.mkdir(`${rootfs}/${folder}`, { recursive: true });
  }
  await Deno.chmod(`${rootfs}/tmp`, 0o1777);
  for (const folder of ["bin", "sbin", "lib"]) {
    await Deno.symlink(`usr/${folder}`, `${rootfs}/${folder}`);
  }
  const debs = `${store}/debs`;
  await required("the machine's packages cannot be had", () => download(debs));
  for (const deb of await names(debs)) {
    const unpacked = `${store}/unpacked`;
    await Deno.remove(unpacked, { recursive: true }).catch(() => {});
    await run("dpkg-deb", ["-x", `${debs}/${deb}`, unpacked]);
    if (deb.startsWith("linux-image")) {
      await takeKernel(unpacked, rootfs);
      continue;
    }
    await Deno.remove(`${unpacked}/usr/share`, { recursive: true }).catch(() => {});
    for (const folder of ["bin", "sbin", "lib"]) {
      if (!await exists(`${unpacked}/${folder}`)) continue;
      await run("cp", ["-a", `${unpacked}/${folder}/.`, `${rootfs}/usr/${folder}/`]);
      await Deno.remove(`${unpacked}/${folder}`, { recursive: true });
    }
    await run("cp", ["-a", `${unpacked}/.`, `${rootfs}/`]);
  }
  await required("Deno for arm64 cannot be had", () => takeDeno(rootfs));
  await Deno.writeTextFile(
    `${rootfs}/etc/passwd`,
    "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
  );
  await Deno.writeTextFile(list, wanted);
  return rootfs;
}

async function takeDeno(rootfs: string): Promise<void> {
  const folder = await Deno.makeTempDir({ dir: store });
  try {
    const name = "@deno/linux-arm64-glibc";
    // The registry may have this machine's version later than the other's.
    await run("npm", ["pack", "--silent", `${name}@${Deno.version.deno}`], folder)
      .catch(() => run("npm", ["pack", "--silent", name], folder));
    const [archive] = await names(folder);
    await run("tar", ["xzf", archive], folder);
    await Deno.copyFile(`${folder}/package/deno`, `${rootfs}/usr/bin/deno`);
    await Deno.chmod(`${rootfs}/usr/bin/deno`, 0o755);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes the files below a folder as the kernel wants its first file system. */
async function archive(folder: string, output: string): Promise<void> {
  // Uncompressed: unpacking costs more than copying.
  await run("sh", ["-c", 'find . | cpio -o -H newc --quiet >"$0"', output], folder);
}

/** The machine's file system, as the kernel wants it. */
const system = `${store}/system.cpio`;

/** Downloads and makes what all jobs have in common, unless it is there.
 *
 * @throws {Unavailable} when the machine cannot be had on this system
 */
export async function makeSystem(): Promise<void> {
  await checkTools();
  await Deno.mkdir(store, { recursive: true });
  const rootfs = await makeRoot();
  if (!await isNewer(system, `${store}/packages`)) await archive(rootfs, system);
}

/** What the machine is to do. */
export interface Job {
  /** Shell commands, run in the copy of the repository. */
  readonly script: string;
  /** Modules that it runs, which are downloaded and compiled to JavaScript here. */
  readonly modules?: readonly string[];
  /** Puts files of this run into the machine's file system. */
  readonly prepare?: (rootfs: string) => Promise<void>;
  /** The processor, as QEMU names it. */
  readonly cpu?: string;
  /** Done here while the job waits: begins when the job writes `machine: NAME=VALUE …`, with those values.
   *
   * @returns an exit code
   */
  readonly beside?: (values: Readonly<Record<string, string>>) => Promise<number>;
  /** Ports of this system's loopback that lead to ports of the machine. */
  readonly forward?: readonly (readonly [here: number, there: number])[];
}

/** The least that runs Darwin's code for arm64 has LSE atomics. This one also has pointer authentication;
 * QEMU's own algorithm for that is as good for tests as the architecture's, and much faster. */
const processor = "max,pauth-impdef=on";

/** Boots the machine, runs a job in it, and shuts it down.
 *
 * @returns the exit code of the job
 * @throws {Unavailable} when the machine cannot be had on this system
 */
export async function runInMachine(job: Job): Promise<number> {
  await makeSystem();
  const scratch = await Deno.makeTempDir({ dir: store, prefix: "job-" });
  try {
    const files = `${scratch}/files`;
    const modulesFolder = `${store}/deno`;
    await Deno.mkdir(`${files}${root}`, { recursive: true });
    await Deno.chmod(files, 0o755);
    // Tracked files may have been deleted.
    const present =
      `xargs -0 sh -c 'for file; do [ -e "$file" ] && printf "%s\\0" "$file"; done' sh`;
    const copy = `git ls-files -coz --exclude-standard | ${present} | cpio -0 -pdm --quiet "$0"`;
    await run("sh", ["-c", copy, `${files}${root}`], root);
    const cache = ["deno", "cache", "-q", "--no-check", "repl/main.ts", ...job.modules ?? []];
    await run("env", [`DENO_DIR=${modulesFolder}`, ...cache], root);
    await Deno.mkdir(`${files}${modulesFolder}`, { recursive: true });
    await run("cp", ["-a", `${modulesFolder}/.`, `${files}${modulesFolder}/`]);
    await Deno.copyFile(`${root}/tests/arm/guest/init`, `${files}/init`);
    await Deno.chmod(`${files}/init`, 0o755);
    await job.prepare?.(files);
    const environment = `DENO_DIR='${modulesFolder}' NO_COLOR=1 DENO_NO_UPDATE_CHECK=1`;
    await Deno.writeTextFile(
      `${files}/job`,
      `cd '${root}'; export ${environment}\n${job.script}\n`,
    );
    await archive(files, `${scratch}/files.cpio`);
    await run("sh", [
      "-c",
      'cat "$0" "$1" >"$2"',
      system,
      `${scratch}/files.cpio`,
      `${scratch}/initrd`,
    ]);
    await Deno.remove(files, { recursive: true });
    const code = await boot(job, scratch);
    await Deno.remove(outputFolder, { recursive: true }).catch(() => {});
    await Deno.mkdir(outputFolder);
    await run("tar", ["xf", `${scratch}/disk`, "-C", outputFolder]);
    return code;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

async function isNewer(file: string, other: string): Promise<boolean> {
  if (!await exists(file)) return false;
  return (await Deno.stat(file)).mtime! > (await Deno.stat(other)).mtime!;
}

async function boot({ cpu, forward = [], beside }: Job, scratch: string): Promise<number> {
  using disk = await Deno.create(`${scratch}/disk`);
  await disk.truncate(512 << 20);
  const ports = forward.map(([here, there]) => `,hostfwd=tcp:127.0.0.1:${here}-:${there}`);
  const child = new Deno.Command("nice", {
    args: [
      ...["-n", "10", "qemu-system-aarch64", "-M", "virt", "-cpu", cpu ?? processor],
      // One processor: with two, a stop waits until this system runs the other one.
      ...["-accel", "tcg,thread=multi", "-smp", "1", "-m", "2G", "-nographic", "-no-reboot"],
      ...["-kernel", `${store}/vmlinuz`, "-initrd", `${scratch}/initrd`],
      // What a kernel does against attacks costs a tenth of the machine's time.
      ...[
        "-append",
        "console=ttyAMA0 quiet loglevel=3 panic=-1 nowatchdog mitigations=off init_on_alloc=0",
      ],
      ...["-netdev", `user,id=n${ports.join("")}`, "-device", "virtio-net-device,netdev=n"],
      ...["-drive", `file=${scratch}/disk,format=raw,if=none,id=d`],
      ...["-device", "virtio-blk-device,drive=d"],
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const end = () => child.kill("SIGKILL");
  const signals = ["SIGINT", "SIGTERM"] as const;
  const stop = () => {
    end();
    Deno.exitCode = 130;
  };
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  let code: number | undefined;
  let other = Promise.resolve(0);
  let rest = "";
  try {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      await Deno.stdout.write(new TextEncoder().encode(text));
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const found = /^machine: exit (\d+)/.exec(line);
        if (found !== null) code = Number(found[1]);
        const values = /^machine: ([\w-]+=.*)/.exec(line);
        if (values !== null && beside !== undefined) {
          other = beside(
            Object.fromEntries(values[1].trim().split(" ").map((text) => text.split("="))),
          );
        }
      }
    }
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
  }
  await child.status;
  if (code === undefined) throw new Error("the machine ended before its job did");
  return code || await other;
}
