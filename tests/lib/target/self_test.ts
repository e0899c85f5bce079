import { assert, assertEquals, assertThrows } from "@std/assert";
import { attachSelf } from "../../../mod.ts";
import { onLinux } from "../../machine.ts";

Deno.test("this very process shows all its threads, and goes on", () => {
  using target = attachSelf();
  assertEquals([target.kind, target.pid, target.paused], ["self", Deno.pid, false]);
  const snapshot = target.snapshot();
  if (onLinux) {
    // The threads of /proc come and go: those that are there before and after must be shown.
    // The one that does the suspending is no part of what is looked at.
    const list = () =>
      new Set(
        [...Deno.readDirSync("/proc/self/task")].map(({ name }) => name).filter((id) =>
          !Deno.readTextFileSync(`/proc/self/task/${id}/comm`).startsWith("machpause")
        ),
      );
    const before = list();
    const shown = new Set(target.snapshot().threads.map(({ id }) => `${id}`));
    const after = list();
    for (const id of before) if (after.has(id)) assert(shown.has(id), `thread ${id} is missing`);
  }
  const { mainThread } = snapshot;
  assert(snapshot.threads.includes(mainThread));
  const [innermost] = snapshot.threads.map((thread) => thread.backtrace()[0])
    .filter((frame) => frame.image?.name.startsWith("libmachpause"));
  assert(innermost !== undefined, "the thread that called is shown in the call");
  for (const thread of snapshot.threads) assert(thread.backtrace().length > 0, `${thread}`);
});

Deno.test("this very process cannot be paused, and says why", () => {
  const error = assertThrows(() => attachSelf().pause(), TypeError);
  assert(error.message.includes("use snapshot()"));
  assertThrows(() => attachSelf().threads[0].suspend(), TypeError, "use snapshot()");
});

Deno.test("two hundred snapshots of oneself leave nothing behind", () => {
  using target = attachSelf();
  target.snapshot();
  const files = () => onLinux ? [...Deno.readDirSync("/proc/self/fd")].length : 0;
  const before = files();
  for (let round = 0; round < 200; round++) target.snapshot();
  assertEquals(files(), before);
});
