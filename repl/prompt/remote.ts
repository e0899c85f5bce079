/** Opens targets over the wire. */
import { killWithUs } from "../../ffi/launch.ts";
import {
  attachRemote,
  launchRemote,
  RemoteError,
  type StubName,
  stubNames,
} from "../../ffi/remote.ts";
import { TargetGoneError } from "../../lib/errors.ts";
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
  return await correctable(async () => {
    if (via === undefined) {
      const target = await attachRemote(spec.replace(/^(?:gdb-)?remote:/, ""), { symbols });
      return { ...held(target), ended: () => Promise.resolve(target.ended) };
    }
    const name = stubNamed(via);
    return held(await attachRemote({ via: name, pid: await pidOf(spec, name) }, { symbols }));
  });
}

/** How a program is started by a stub. */
export interface StubStart {
  readonly via: string;
  /** Whether it outlives machpause. */
  readonly keep: boolean;
  /** Whether it waits at its start until it is sampled. */
  readonly hold: boolean;
  /** Takes what it prints. */
  readonly output?: (text: string) => void;
}

/** Starts a program by a stub. As every launched program it ends with machpause, unless it is kept.
 *
 * @throws UserError when the stub cannot start it
 */
export async function openStarted(
  program: string,
  args: readonly string[],
  { via, keep, hold, output }: StubStart,
): Promise<Opened> {
  const decoder = new TextDecoder();
  const onOutput = output === undefined
    ? {}
    : { onOutput: (bytes: Uint8Array) => output(decoder.decode(bytes, { stream: true })) };
  const target = await correctable(() =>
    launchRemote(program, args, { via: stubNamed(via), hold, ...onOutput })
  );
  // A stub that loses its connection may let the program run.
  let tie = keep || target.pid === null ? undefined : killWithUs(target.pid);
  let kept = keep;
  const opened = held(target);
  return {
    target,
    ended: () => Promise.resolve(target.ended),
    ...(keep ? {} : {
      keep() {
        kept = true;
        tie?.[Symbol.dispose]();
        tie = undefined;
      },
    }),
    [Symbol.dispose]() {
      tie?.[Symbol.dispose]();
      try {
        if (!kept) target.kill();
      } catch (error) {
        if (!(error instanceof RemoteError || error instanceof TargetGoneError)) throw error;
      } finally {
        opened[Symbol.dispose]();
      }
    },
  };
}

function stubNamed(via: string): StubName {
  const name = stubNames.find((name) => name === via);
  if (name !== undefined) return name;
  throw new UserError(`there is no stub ${via}: it is one of ${stubNames.join(", ")}`, 2);
}

/** What is wrong is a mistake to correct, not one of this program. */
async function correctable<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof RemoteError) throw new UserError(error.message);
    throw error;
  }
}

async function pidOf(spec: string, via: StubName): Promise<number> {
  const pid = /^(?:pid:)?(\d{1,10})$/.exec(spec)?.[1];
  if (pid !== undefined && Number(pid) === Deno.pid) {
    throw new UserError(
      `pid ${pid} is this process, which cannot debug itself: \`self\` looks at it`,
    );
  }
  if (pid !== undefined) return Number(pid);
  if (/^(?:core|remote|gdb-remote|connect|tcp|pid):/.test(spec) || /^(?:demo|self)$/.test(spec)) {
    throw new UserError(`--via ${via} needs a process of this machine: a pid or a name`, 2);
  }
  const { pidNamed, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  return pidNamed(spec);
}
