/** Opens targets over the wire. */
import { attachRemote, RemoteError, type StubName, stubNames } from "../../ffi/remote.ts";
import { UserError } from "../errors.ts";
import { held, type Opened } from "./opened.ts";

/** Opens `remote:HOST:PORT`, or a process by the stub that is started for it.
 *
 * @throws UserError when `spec` is no address or process
 */
export async function openRemote(
  spec: string,
  symbols: readonly string[],
  via: string | undefined,
): Promise<Opened> {
  try {
    if (via === undefined) {
      return held(await attachRemote(spec.replace(/^(?:gdb-)?remote:/, ""), { symbols }));
    }
    const name = stubNames.find((name) => name === via);
    if (name === undefined) {
      throw new UserError(`there is no stub ${via}: it is one of ${stubNames.join(", ")}`, 2);
    }
    return held(await attachRemote({ via: name, pid: await pidOf(spec, name) }, { symbols }));
  } catch (error) {
    // What is wrong is a mistake to correct, not one of this program.
    if (error instanceof RemoteError) throw new UserError(error.message);
    throw error;
  }
}

async function pidOf(spec: string, via: StubName): Promise<number> {
  const pid = /^(?:pid:)?(\d{1,10})$/.exec(spec)?.[1];
  if (pid !== undefined) return Number(pid);
  if (/^(?:core|remote|gdb-remote|connect|tcp|pid):/.test(spec) || /^(?:demo|self)$/.test(spec)) {
    throw new UserError(`--via ${via} needs a process of this machine: a pid or a name`, 2);
  }
  const { pidNamed, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  return pidNamed(spec);
}
