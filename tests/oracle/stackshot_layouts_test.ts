/** The structures of stackshots, compared with XNU's by a C compiler: those of kcdata with
 * `osfmk/kern/kcdata.h`, those of trace buffers with `osfmk/kern/debug.h` of each system's release.
 *
 * Runs when it is told where XNU's sources are, and for the second a clone with its history. They are
 * not part of this repository:
 *
 * ```sh
 * git clone https://github.com/apple-oss-distributions/xnu
 * MACHPAUSE_XNU=$PWD/xnu MACHPAUSE_XNU_HISTORY=$PWD/xnu \
 *   deno test -A tests/oracle/stackshot_layouts_test.ts
 * ```
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { systems } from "../../lib/stackshot/trace_buffer.ts";
import { layouts, types } from "../../lib/stackshot/types.ts";
import { waitTypeName } from "../../lib/stackshot/words.ts";

const xnu = Deno.env.get("MACHPAUSE_XNU");
const history = Deno.env.get("MACHPAUSE_XNU_HISTORY");

/** The releases of XNU in the systems that filled trace buffers. */
const releases: Readonly<Record<string, string>> = {
  "10.6": "xnu-1504.15.3",
  "10.7": "xnu-1699.32.7",
  "10.8": "xnu-2050.48.11",
  "10.9": "xnu-2422.115.4",
  "10.10": "xnu-2782.40.9",
  "10.11": "xnu-3248.60.10",
};

/** The newest structure of each item that has one, by our name for it. */
const structs: Readonly<Record<string, string>> = {
  thread_snapshot: "thread_snapshot_v4",
  thread_delta_snapshot: "thread_delta_snapshot_v3",
  dyld_shared_cache_loadinfo: "dyld_shared_cache_loadinfo_v2",
  stackshot_cpu_times: "stackshot_cpu_times_v2",
  stackshot_duration: "stackshot_duration_v2",
  stackshot_thread_waitinfo: "stackshot_thread_waitinfo_v2",
  stackshot_thread_turnstileinfo: "stackshot_thread_turnstileinfo_v2",
  thread_group_snapshot: "thread_group_snapshot_v3",
  instrs_cycles_snapshot: "instrs_cycles_snapshot_v2",
  stackshot_latency_collection: "stackshot_latency_collection_v2",
  exclave_textlayout_segment: "exclave_textlayout_segment_v2",
  kernelcache_load_info: "dyld_uuid_info_64",
  text_exec_load_info: "dyld_uuid_info_64",
  system_shared_cache_layout: "dyld_uuid_info_64",
};

/** Items that are a single number, or a structure of another header. */
const others =
  /^(mach_|usecs|pid$|timeval64|donating|kernel_|user_|nonrunnable|delta_|jetsam_(level|coalition$)|thread_group$|thread_policy|asid|page_tables|shared_cache_id|exclave_ecstackentry)/;

async function compile(source: string): Promise<string> {
  const directory = await Deno.makeTempDir();
  try {
    for (
      const [name, text] of [
        ["uuid/uuid.h", "typedef unsigned char uuid_t[16];\n"],
        ["string.h", "__SIZE_TYPE__ strnlen(const char *, __SIZE_TYPE__);\n"],
        ["source.c", source],
      ]
    ) {
      await Deno.mkdir(`${directory}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${directory}/${name}`, text);
    }
    const { stderr } = await new Deno.Command("clang-19", {
      args: ["--target=arm64-apple-macos11", "-std=c23", "-nostdlibinc", "-fsyntax-only"]
        .concat("-Wno-everything", "-ferror-limit=0", "-I", directory, `${directory}/source.c`),
    }).output();
    return new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test({
  name: "the structures of a stackshot are those of kcdata.h",
  ignore: xnu === undefined,
  fn: async () => {
    const asserts: string[] = [];
    for (const { name, size, fields } of layouts.values()) {
      if (others.test(name)) continue;
      const struct = `struct ${structs[name] ?? name}`;
      asserts.push(`_Static_assert(sizeof(${struct}) >= ${size}, "${name}");`);
      for (const { name: field, offset } of fields) {
        // Names that changed when their meaning was said better; the places did not.
        const latency = /_latency$/.test(field) && struct.endsWith("latency_collection_v2");
        const theirs = latency ? `${field}_mt` : field;
        asserts.push(
          `_Static_assert(offsetof(${struct}, ${theirs}) == ${offset}, "${name}.${field}");`,
        );
      }
    }
    assert(asserts.length > 200);
    const head = `#include <stddef.h>\n#include "${xnu}/osfmk/kern/kcdata.h"\n`;
    assertEquals(await compile(head + asserts.join("\n")), "");
    const wrong = asserts.map((text) => text.replace(/ == (\d+),/, " == $1 + 1,"));
    assertMatch(await compile(head + wrong.join("\n")), /static assertion failed/);
  },
});

Deno.test({
  name: "types and waits have the numbers of XNU's headers",
  ignore: xnu === undefined,
  fn: async () => {
    const header = await Deno.readTextFile(`${xnu}/osfmk/kern/kcdata.h`);
    const theirs = new Set(
      [...header.matchAll(/^#define (?:STACKSHOT_KC|KCDATA_)TYPE_\w+\s+(0x[0-9a-fA-F]+)u?\b/gm)]
        .map(([, number]) => Number(number)),
    );
    for (const [name, number] of Object.entries(types)) {
      assert(theirs.has(number), `${name}: 0x${number.toString(16)}`);
    }
    const hints = await Deno.readTextFile(`${xnu}/osfmk/kern/block_hint.h`);
    const waits = [...hints.matchAll(/^\s*(kThreadWait\w+)\s*=\s*(0x[0-9a-f]+)/gm)];
    assert(waits.length > 30);
    for (const [, name, number] of waits) assertEquals(waitTypeName(Number(number)), name);
  },
});

Deno.test({
  name: "the structures of trace buffers are those of each system's debug.h",
  ignore: history === undefined,
  fn: async () => {
    for (const { name, task, thread, memory } of systems) {
      const { stdout } = await new Deno.Command("git", {
        args: ["-C", history!, "show", `${releases[name]}:osfmk/kern/debug.h`],
      }).output();
      const header = new TextDecoder().decode(stdout);
      const lines = ["#include <stddef.h>", "#include <stdint.h>"];
      lines.push(
        "#define STACKSHOT_IO_NUM_PRIORITIES 4",
        "#define STACKSHOT_MAX_THREAD_NAME_SIZE 64",
      );
      const inHeader = memory !== null && name === "10.7" ? "mem_snapshot" : "mem_and_io_snapshot";
      for (const layout of [task, thread, memory]) {
        if (layout === null) continue;
        const struct = layout === memory ? inHeader : layout.name;
        const definition = new RegExp(
          `struct ${struct}\\s*\\{[^}]*\\}\\s*__attribute__\\s*\\(\\(packed\\)\\);`,
        ).exec(header);
        assert(definition !== null, `${struct} of ${name}`);
        lines.push(definition[0]);
        lines.push(`_Static_assert(sizeof(struct ${struct}) == ${layout.size}, "${struct}");`);
        for (const { name: field, offset } of layout.fields) {
          const theirs = field === "reserved" ? "_reserved" : field;
          lines.push(
            `_Static_assert(offsetof(struct ${struct}, ${theirs}) == ${offset}, "${field}");`,
          );
        }
      }
      assertEquals(await compile(lines.join("\n")), "", name);
    }
  },
});
