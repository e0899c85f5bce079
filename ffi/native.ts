/** The functions of `shim/machpause.h`, in the form that `Deno.dlopen` takes. */

/** `MP_ABI_VERSION` of the header that this binding matches. */
export const abiVersion = 7;

/** `mp_*` by name. Ports are `u32`, addresses and sizes `u64`; every result is a `kern_return_t`. */
export const symbols = {
  mp_abi_version: { parameters: [], result: "u32" },
  mp_task_self: { parameters: ["buffer"], result: "i32" },
  mp_task_for_pid: { parameters: ["i32", "buffer"], result: "i32" },
  mp_task_threads: { parameters: ["u32", "buffer", "u32", "buffer"], result: "i32" },
  mp_task_suspend: { parameters: ["u32", "buffer"], result: "i32" },
  mp_task_resume: { parameters: ["u32"], result: "i32" },
  mp_thread_suspend: { parameters: ["u32"], result: "i32" },
  mp_thread_resume: { parameters: ["u32"], result: "i32" },
  mp_thread_get_state: { parameters: ["u32", "i32", "buffer", "buffer"], result: "i32" },
  mp_thread_set_state: { parameters: ["u32", "i32", "buffer", "u32"], result: "i32" },
  mp_thread_info_get: { parameters: ["u32", "buffer"], result: "i32" },
  mp_vm_read_overwrite: { parameters: ["u32", "u64", "u64", "buffer", "buffer"], result: "i32" },
  mp_vm_write: { parameters: ["u32", "u64", "buffer", "u64"], result: "i32" },
  mp_vm_present: {
    parameters: ["u32", "u64", "u64", "buffer", "u32", "buffer", "buffer"],
    result: "i32",
  },
  mp_vm_region: { parameters: ["u32", "u64", "u32", "buffer", "u32", "buffer"], result: "i32" },
  mp_task_dyld_info: { parameters: ["u32", "buffer"], result: "i32" },
  mp_dyld_image_count: { parameters: ["buffer"], result: "i32" },
  mp_dyld_get_image_header: { parameters: ["u32", "buffer"], result: "i32" },
  mp_dyld_get_image_name: { parameters: ["u32", "buffer", "u32"], result: "i32" },
  mp_dyld_get_image_vmaddr_slide: { parameters: ["u32", "buffer"], result: "i32" },
  mp_port_release: { parameters: ["u32"], result: "i32" },
  mp_port_count: { parameters: ["buffer"], result: "i32" },
  mp_proc_listpids: { parameters: ["buffer", "u32", "buffer"], result: "i32" },
  mp_proc_name: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  mp_proc_pidpath: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  mp_proc_info_get: { parameters: ["i32", "buffer"], result: "i32" },
  mp_proc_entitlements: { parameters: ["i32", "buffer", "u32", "buffer"], result: "i32" },
  mp_session_flags: { parameters: ["buffer"], result: "i32" },
  mp_launch_open: { parameters: ["buffer", "buffer"], result: "i32" },
  mp_launch_accept: { parameters: ["u32", "i32", "u32", "buffer", "buffer"], result: "i32" },
  mp_launch_continue: { parameters: ["u32"], result: "i32" },
  mp_launch_close: { parameters: ["u32"], result: "i32" },
  mp_crash_open: { parameters: ["u32", "buffer"], result: "i32" },
  mp_crash_poll: { parameters: ["u32", "buffer"], result: "i32" },
  mp_crash_pass: { parameters: ["u32"], result: "i32" },
  mp_crash_close: { parameters: ["u32"], result: "i32" },
  mp_port_retain: { parameters: ["u32"], result: "i32" },
  mp_snapshot: {
    parameters: ["u32", "i32", "u64", "buffer", "u64", "buffer"],
    result: "i32",
  },
  mp_snapshot_self: { parameters: ["u64", "buffer", "u64"], result: "i32" },
  mp_sample: {
    parameters: [
      ...["u32", "i32", "buffer", "buffer", "buffer"] as const,
      ...["buffer", "u64", "buffer", "u64"] as const,
    ],
    result: "i32",
    nonblocking: true,
  },
  mp_watchdog_arm: { parameters: [], result: "i32" },
  mp_watchdog_disarm: { parameters: [], result: "i32" },
  mp_watchdog_answer: { parameters: [], result: "i32" },
  mp_watchdog_interrupts: { parameters: ["buffer"], result: "i32" },
  mp_stackshot: {
    parameters: ["i32", "u64", "u64", "buffer", "u64", "buffer", "buffer"],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** The bound functions. */
export type Native = Deno.DynamicLibrary<typeof symbols>["symbols"];

type Name = keyof typeof symbols;

/** Functions that undo a call are bound together with it: when the process exits, loading them may no
 * longer be permitted. */
const undoing: Partial<Record<Name, Name>> = {
  mp_task_for_pid: "mp_port_release",
  mp_task_suspend: "mp_task_resume",
  mp_thread_suspend: "mp_thread_resume",
  mp_launch_open: "mp_launch_close",
  mp_launch_accept: "mp_launch_continue",
  mp_crash_open: "mp_crash_close",
  mp_watchdog_arm: "mp_watchdog_disarm",
};

/** Opens the library. Functions are bound at their first call: Deno compiles code for each, which takes
 * 0.2 ms, and most programs use few.
 *
 * @param path absolute
 * @throws Deno.errors.NotCapable if FFI is not permitted
 * @throws Error with a remedy if the file is not the library, or was built from another version of the
 * header
 */
export function openNative(path: string): Native {
  const native = {} as Native;
  const bind = (name: Name) => {
    const wanted: Partial<typeof symbols> = { [name]: symbols[name] };
    const undo = undoing[name];
    if (undo !== undefined) Object.assign(wanted, { [undo]: symbols[undo] });
    const bound = Deno.dlopen(path, wanted as Deno.ForeignLibraryInterface).symbols;
    for (const [key, value] of Object.entries(bound)) Object.defineProperty(native, key, { value });
  };
  for (const name of Object.keys(symbols) as Name[]) {
    const get = () => {
      bind(name);
      return native[name];
    };
    Object.defineProperty(native, name, { get, configurable: true });
  }
  try {
    bind("mp_abi_version");
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      throw new Deno.errors.NotCapable(
        "a live process is reached through a native library: run deno with --allow-ffi (or -A)",
        { cause: error },
      );
    }
    throw error;
  }
  const version = native.mp_abi_version();
  if (version !== abiVersion) {
    throw new Error(
      `${path} has version ${version} of the native interface, this program needs ${abiVersion}: ` +
        "build it again with deno task build",
    );
  }
  return native;
}
