/** `machpause bt demo` with a Ctrl-C at its worst moment: the demo has died of it, and this process does not know
 * of the signal yet. */
import { TargetGoneError } from "../../../lib/errors.ts";
import { LiveTarget } from "../../../lib/target/mod.ts";
import { main } from "../../../repl/main.ts";

const { snapshot } = LiveTarget.prototype;
LiveTarget.prototype.snapshot = function (options) {
  // The terminal sends it to both.
  Deno.kill(this.pid, "SIGINT");
  Deno.kill(Deno.pid, "SIGINT");
  for (;;) {
    try {
      void this.initialized;
    } catch (error) {
      if (error instanceof TargetGoneError) break;
      throw error;
    }
  }
  return snapshot.call(this, options);
};

Deno.exit(await main(["bt", "demo"]));
