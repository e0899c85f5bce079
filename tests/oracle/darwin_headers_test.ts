/** Holds `ffi/shim/darwin/` to what Apple publishes: constants, sizes and offsets by compiling
 * layout.h after XNU's own headers, prototypes by declaring them twice, which a C compiler refuses
 * unless they agree. The calls that MIG makes have no header there; their prototypes are derived
 * from the .defs files as MIG derives them.
 *
 * Runs when it is told where the sources are, which are not part of this repository:
 *
 * ```sh
 * git clone --depth 1 https://github.com/apple-oss-distributions/xnu
 * git clone --depth 1 https://github.com/apple-oss-distributions/dyld
 * git clone --depth 1 https://github.com/apple-oss-distributions/launchd
 * MACHPAUSE_XNU=$PWD/xnu MACHPAUSE_DYLD=$PWD/dyld MACHPAUSE_LAUNCHD=$PWD/launchd deno test -A tests/oracle/darwin_headers_test.ts
 * ```
 */
import { assertEquals, assertMatch } from "@std/assert";

const shim = new URL("../../ffi/shim", import.meta.url).pathname;
const xnu = Deno.env.get("MACHPAUSE_XNU");
const dyld = Deno.env.get("MACHPAUSE_DYLD");
/** The last published launchd: libxpc, which has its calls since, is not. */
const launchd = Deno.env.get("MACHPAUSE_LAUNCHD");

/** What XNU's headers include and other projects have, or XNU's build writes. Nothing that is
 * compared depends on it. */
const elsewhere: Readonly<Record<string, string>> = {
  "TargetConditionals.h": "#define TARGET_OS_OSX 1\n#define TARGET_OS_MAC 1\n",
  "AvailabilityInternalPrivate.h": "#define __SPI_AVAILABLE(...)\n",
  "os/availability.h": ["API_AVAILABLE", "API_UNAVAILABLE", "API_DEPRECATED"]
    .map((name) => `#define ${name}(...)\n`).join(""),
  "time.h": "",
  "string.h": "void *memcpy(void *, const void *, __SIZE_TYPE__);\n" +
    "void *memmove(void *, const void *, __SIZE_TYPE__);\n" +
    "void *memset(void *, int, __SIZE_TYPE__);\n",
  // Written by MIG; of the ones that the shim needs there is more below.
  ...Object.fromEntries(
    [
      "clock_priv",
      "host_priv",
      "host_security",
      "mach_host",
      "processor",
      "processor_set",
      "vm_map",
    ]
      .map((name) => [`mach/${name}.h`, ""]),
  ),
  "sys/_symbol_aliasing.h": "",
  "sys/_posix_availability.h": "",
  ...Object.fromEntries(
    ["attr", "cond", "condattr", "key", "mutex", "mutexattr", "once", "rwlock", "rwlockattr"]
      .map((name) => [`sys/_pthread/_pthread_${name}_t.h`, ""]),
  ),
  "sys/_pthread/_pthread_t.h": "",
  "AvailabilityMacros.h":
    "#define AVAILABLE_MAC_OS_X_VERSION_10_0_AND_LATER_BUT_DEPRECATED_IN_MAC_OS_X_VERSION_10_5\n" +
    "#define AVAILABLE_MAC_OS_X_VERSION_10_0_AND_LATER_BUT_DEPRECATED_IN_MAC_OS_X_VERSION_10_6\n",
  ...Object.fromEntries(["bootstrap", "bootstrap_priv"].map((name) => [
    `servers/${name}.h`,
    launchd === undefined ? "" : Deno.readTextFileSync(`${launchd}/liblaunch/${name}.h`),
  ])),
};

/** Where each MIG routine is defined. */
const routines: Readonly<Record<string, readonly string[]>> = {
  "task.defs": ["task_threads", "task_info", "task_suspend2", "task_resume2"]
    .concat("task_get_special_port", "task_set_exception_ports"),
  "thread_act.defs": [
    "thread_suspend",
    "thread_resume",
    "thread_get_state",
    "thread_set_state",
    "thread_info",
  ],
  "mach_vm.defs": [
    "mach_vm_deallocate",
    "mach_vm_read_overwrite",
    "mach_vm_write",
    "mach_vm_region_recurse",
    "mach_vm_page_range_query",
  ],
  "mach_port.defs": ["mach_port_names", "mach_port_deallocate", "mach_port_allocate"]
    .concat("mach_port_insert_right", "mach_port_mod_refs"),
};

async function compile(
  directory: string,
  arch: string,
  source: string,
  extra: readonly string[] = [],
): Promise<string> {
  const file = `${directory}/source.c`;
  await Deno.writeTextFile(file, source);
  const includes = ["libsyscall/mach", "osfmk", "bsd", "EXTERNAL_HEADERS", "libkern"]
    .concat("libsyscall/wrappers/libproc").flatMap((path) => ["-I", `${xnu}/${path}`]);
  const { stderr } = await new Deno.Command("clang-19", {
    args: [
      `--target=${arch}-apple-macos11`,
      "-nostdlibinc",
      "-fsyntax-only",
      "-Wno-everything",
      "-DPRIVATE=1",
      "-Dpthread_attr_t=void",
      ...["-I", shim, "-I", `${directory}/elsewhere`],
      ...includes,
      ...dyld === undefined ? [] : ["-I", `${dyld}/include`],
      ...extra,
      file,
    ],
  }).output();
  return new TextDecoder().decode(stderr);
}

/** The prototypes that MIG would write for the routines of a .defs file. */
async function migPrototypes(name: string): Promise<string[]> {
  const types = await Deno.readTextFile(`${xnu}/osfmk/mach/mach_types.defs`) +
    await Deno.readTextFile(`${xnu}/osfmk/mach/std_types.defs`) +
    await Deno.readTextFile(`${xnu}/osfmk/mach/${name}`);
  const { stdout, success } = await new Deno.Command("clang-19", {
    args: ["-E", "-P", "-x", "c", "-nostdinc", "-I", `${xnu}/osfmk`, "-I", `${xnu}/libsyscall/mach`]
      .concat("-DLIBSYSCALL_INTERFACE=1", `${xnu}/osfmk/mach/${name}`),
  }).output();
  assertEquals(success, true, name);
  const text = new TextDecoder().decode(stdout);
  return routines[name].map((routine) => {
    const body = new RegExp(`\\broutine\\s+${routine}\\s*\\(([^)]*)\\)\\s*;`).exec(
      text,
    );
    assertMatch(body?.[1] ?? "", /:/, `${routine} in ${name}`);
    const parameters = body![1].split(";").map((argument) => {
      const parts = /^\s*(?:(in|out|inout)\s+)?(\w+)\s*:\s*(\w+)/.exec(argument)!;
      const [, direction = "in", parameter, type] = parts;
      // Its C type, and what kind of right it is.
      const poly = new RegExp(`\\btype\\s+${type}\\s*=\\s*polymorphic\\s+ctype\\s*:\\s*(\\w+)`)
        .exec(types);
      if (poly !== null) {
        return `${poly[1]} ${parameter}, mach_msg_type_name_t ${parameter}Poly`;
      }
      const definition = new RegExp(`\\btype\\s+${type}\\s*=\\s*(\\^?)\\s*(array\\s*\\[)?(\\])?`)
        .exec(types);
      const isArray = definition?.[2] !== undefined;
      if (!isArray) return `${type} ${direction === "in" ? "" : "*"}${parameter}`;
      // An array in the message itself is filled in where the caller says; one out of line, which
      // has no bound or a ^, is new.
      const outOfLine = definition![1] === "^" || definition![3] === "]";
      const star = direction === "in" ? "" : "*";
      return `${type} ${outOfLine ? star : ""}${parameter}, ` +
        `mach_msg_type_number_t ${star}${parameter}Cnt`;
    });
    return `extern kern_return_t ${routine}(${parameters.join(", ")});`;
  });
}

/** Names of the project's own for what is Apple's. */
const ownNames = `
#include <sys/errno.h>
#define SAME(name) _Static_assert(DARWIN_##name == name, #name)
${
  ["EPERM", "ENOENT", "ESRCH", "EINTR", "ENOMEM", "EFAULT", "EBUSY", "EINVAL", "ENOSPC", "ENOTSUP"]
    .concat("ETIMEDOUT", "ENOSYS").map((name) => `SAME(${name});`).join("\n")
}
_Static_assert(MP_AU_SESSION_FLAG_HAS_GRAPHIC_ACCESS == AU_SESSION_FLAG_HAS_GRAPHIC_ACCESS, "");
_Static_assert(sizeof(struct mp_auditinfo_addr) == sizeof(struct auditinfo_addr), "");
_Static_assert(__builtin_offsetof(struct mp_auditinfo_addr, ai_flags)
  == __builtin_offsetof(struct auditinfo_addr, ai_flags), "");
`;

/** Has dyld's header not say since when it has each call: the words are not all in XNU's headers. */
const dyldWords = `
#include <Availability.h>
#undef __API_AVAILABLE
#undef __API_UNAVAILABLE
#undef __API_DEPRECATED
#undef __OSX_DEPRECATED
#define __API_AVAILABLE(...)
#define __API_UNAVAILABLE(...)
#define __API_DEPRECATED(...)
#define __OSX_DEPRECATED(...)
#define DYLD_EXCLAVEKIT_UNAVAILABLE
`;

const appleHeaders = `
#include <stddef.h>
#include <stdint.h>
#include <mach/boolean.h>
#include <mach/kern_return.h>
#include <mach/message.h>
#include <mach/machine.h>
#include <mach/time_value.h>
#include <mach/thread_info.h>
#include <mach/task_info.h>
#include <mach/thread_status.h>
#include <mach/vm_region.h>
#include <mach/vm_statistics.h>
#include <mach/mach_types.h>
#include <mach/mach_time.h>
#include <mach/mach_traps.h>
#include <mach/mach_init.h>
#include <sys/proc_info.h>
#include <sys/proc_info_private.h>
#include <sys/stackshot.h>
#include <mach/task_special_ports.h>
#include <sys/codesign.h>
#include <sys/sysctl.h>
#include <bsm/audit.h>
#include <libproc.h>
#include <servers/bootstrap.h>
#include <servers/bootstrap_priv.h>
${dyld === undefined ? "" : `${dyldWords}#include <mach-o/dyld.h>`}
#define MP_APPLE_SDK 1
`;

for (const arch of ["x86_64", "arm64"]) {
  Deno.test({
    name: `our Mach declarations are Apple's, ${arch}`,
    ignore: xnu === undefined,
    fn: async () => {
      const directory = await Deno.makeTempDir();
      try {
        const write = async (name: string, text: string) => {
          const path = `${directory}/elsewhere/${name}`;
          await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
          await Deno.writeTextFile(path, text);
        };
        for (const [name, text] of Object.entries(elsewhere)) await write(name, text);
        const layout =
          `${appleHeaders}#include "darwin/private.h"\n#include "darwin/layout.h"\n${ownNames}`;
        assertEquals(await compile(directory, arch, layout), "");

        const prototypes: string[] = [];
        const headers: [string, string][] = [];
        for (const name of Object.keys(routines)) {
          const own = await migPrototypes(name);
          prototypes.push(...own);
          const guarded = `#pragma once\n#include <mach/mach_types.h>\n${own.join("\n")}\n`;
          headers.push([`mach/${name.replace(".defs", ".h")}`, guarded]);
        }
        const calls = `${appleHeaders}${prototypes.join("\n")}\n#include "darwin/calls.h"\n`;
        assertEquals(await compile(directory, arch, calls), "");

        // That a difference would be seen: an argument more, a value other.
        const wrong = prototypes.map((text) => text.replace(");", ", int more);")).join("\n");
        const refused = await compile(
          directory,
          arch,
          `${appleHeaders}${wrong}
#include "darwin/calls.h"
_Static_assert(TASK_DYLD_INFO == 18, "seen");
`,
          ["-ferror-limit=0"],
        );
        assertEquals(refused.match(/error: conflicting types/g)?.length, prototypes.length);
        assertMatch(refused, /static assertion failed/);

        // As it is built on a Mac: by Apple's headers alone.
        for (const [name, text] of headers) await write(name, text);
        const shimFile = `#include "${shim}/shim.c"\n#ifndef MP_APPLE_SDK\n#error\n#endif\n`;
        if (dyld !== undefined) {
          const says = await compile(directory, arch, dyldWords + shimFile, [
            "-Werror=incompatible-pointer-types",
            "-Werror=int-conversion",
            "-Werror=implicit-function-declaration",
          ]);
          assertEquals(says, "");
        }
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}
