/** What LLDB shows of a core of the demo, and what we do. */
import { assert, assertEquals } from "@std/assert";
import { type CoreTarget, type Frame, openCore, type Thread } from "../../mod.ts";
import { chains } from "../lib/target/demo.ts";

/** A thread, as both show it: its id, general registers by name, and frames. */
interface Shown {
  readonly id: string;
  readonly registers: Readonly<Record<string, string>>;
  readonly frames: readonly string[];
}

interface Core {
  readonly images: readonly string[];
  readonly threads: readonly Shown[];
}

const settings = [
  `settings set thread-format "thread \${thread.id}\\n"`,
  `settings set thread-stop-format "thread \${thread.id}\\n"`,
  // Braces leave out what is not known.
  "settings set frame-format " +
  `"frame \${frame.pc}{ \${module.file.basename}}{ \${function.name}}\\n"`,
  // Symbols alone: the names of inlined functions are not what is compared here.
  "settings set symbols.enable-external-lookup false",
];

/** What LLDB shows of a core. */
async function lldb(path: string, threads: number): Promise<Core> {
  const script = await Deno.makeTempFile();
  try {
    const lines = [...settings, `target create --core "${path}"`, "image list -f -u -h", "bt all"];
    for (let thread = 1; thread <= threads; thread++) {
      lines.push(`thread select ${thread}`, "register read -s 0");
    }
    await Deno.writeTextFile(script, lines.join("\n"));
    const { stdout } = await new Deno.Command("lldb-19", { args: ["-x", "-b", "-s", script] })
      .output();
    const [head, ...perThread] = new TextDecoder().decode(stdout).split(/^\(lldb\) register read/m);
    const images = [...head.matchAll(/^\[ *\d+\] (\S+) ([-\dA-F]+) (0x[\da-f]+)/gm)];
    const backtraces = head.split(/^\(lldb\) bt all$/m)[1].split(/^\(lldb\)/m)[0]
      .split(/^[* ] *thread /m).slice(1);
    assertEquals(backtraces.length, perThread.length);
    return {
      images: images.map(([, path, uuid, address]) => `${path} ${uuid} ${BigInt(address)}`),
      threads: backtraces.map((text, index) => ({
        id: `${BigInt(text.split("\n")[0])}`,
        registers: Object.fromEntries(
          [...perThread[index].matchAll(/^ *(\w+) = (0x[\da-f]+)/gm)]
            .map(([, name, value]) => [name, `${BigInt(value)}`]),
        ),
        frames: [...text.matchAll(/frame (0x[\da-f]+) ?(\S*) ?(.*)$/gm)].map((
          [, pc, module, name],
        ) => `${BigInt(pc)} ${module} ${name}`.trimEnd()),
      })),
    };
  } finally {
    await Deno.remove(script);
  }
}

/** As LLDB shows it, which knows nothing of the host's own files. */
function frameText({ address, image, symbol }: Frame): string {
  return image?.uuid ? `${address} ${image.name} ${symbol?.name ?? ""}`.trimEnd() : `${address}`;
}

/** What we show of it. */
function ours(core: CoreTarget): Core {
  return {
    images: core.images.filter(({ uuid }) => uuid !== null)
      .map(({ path, uuid, loadAddress }) => `${path} ${uuid} ${loadAddress}`),
    threads: core.threads.map((thread) => ({
      id: `${thread.id}`,
      registers: Object.fromEntries([...thread.registers].map(({ name, value }) => [
        name,
        `${value}`,
      ])),
      frames: thread.backtrace().map(frameText),
    })),
  };
}

const inImage = (frame: string) => frame.includes(" ");

/** The frames must be the same, but for what LLDB cannot know of code that is in no image, the Linux
 * loader's, and of functions without unwind information:
 *
 * - it ends in such code at a frame that has no frame pointer, where the unwind information of the
 *   host's libraries leads us on to the thread's start;
 * - on ARM it may leave out the caller that only the link register names, where we do not, and on
 *   armv7 the other way around in the loader. The demo's known chains bear us out.
 */
function assertFrames(theirs: readonly string[], thread: Thread, message: string): void {
  const frames = thread.backtrace();
  const ours = frames.map(frameText);
  if (thread.registers.get("lr") === undefined) {
    const surplus = ours.slice(theirs.length);
    const last = surplus.some(inImage) ? undefined : theirs.length;
    assertEquals(theirs, ours.slice(0, last), message);
    return;
  }
  const named = frames.filter((frame) => inImage(frameText(frame)));
  const found = theirs.filter(inImage);
  const sure = found.length < named.length
    ? named.filter(({ foundBy }) => foundBy !== "link-register")
    : named;
  assertEquals(found, sure.map(frameText), message);
}

/** Compares what LLDB shows of a core of the demo with what we do.
 *
 * @param what it is, for messages
 */
export async function compareWithLldb(path: string, what: string): Promise<void> {
  using core = openCore(path);
  const expected = ours(core);
  assert(expected.threads.length >= chains.size);
  const found = await lldb(path, expected.threads.length);
  assertEquals(found.images, expected.images, what);
  assertEquals(found.threads.length, expected.threads.length);
  expected.threads.forEach(({ id, registers }, index) => {
    const theirs = found.threads[index];
    assertEquals(theirs.id, id);
    assertFrames(theirs.frames, core.threads[index], `${what}, thread ${index}`);
    assertEquals(theirs.registers, registers, `${what}, thread ${index}`);
  });
}
