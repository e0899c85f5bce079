/** The prompt at a fake target that is full of terminal escapes: what prompt_test.ts runs. */
import { held } from "../../../repl/prompt/open.ts";
import { prompt } from "../../../repl/prompt/prompt.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { fakeTarget } from "../fake_target.ts";

const { target, kernel } = fakeTarget();
const resume = kernel.taskResume.bind(kernel);
kernel.taskResume = (token) => {
  resume(token);
  // To a file: by the time of a hang-up there is no terminal to print to.
  Deno.writeTextFileSync(Deno.args[0], "resumed\n", { append: true });
};
Object.assign(globalThis, { kernel });

const session = new Session(plain);
session.open(held(target));
Deno.exit(await prompt(session, { begin: ["pause"], init: false }));
