import { gdbRemoteOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause gdb-remote` */
export default {
  description:
    "Attach to the process of a debugserver, lldb-server or gdbserver; start the prompt.",
  arguments: "<address:string>",
  options: gdbRemoteOptions,
  examples: [["A device's port that was forwarded", "machpause gdb-remote localhost:1234"]],
  async run(options, [place]) {
    const { promptAt } = await import("./prompt.ts");
    return await promptAt(options, `gdb-remote:${place.replace(/^connect:\/\//, "")}`);
  },
} satisfies Subcommand<typeof gdbRemoteOptions>;
