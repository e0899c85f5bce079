/** Code nested so deeply that Deno's parser would end the process. */
import { assertEquals, assertRejects } from "@std/assert";
import { CodeError, transform } from "../../../repl/prompt/transform.ts";

const nested: Readonly<Record<string, (depth: number) => string>> = {
  parentheses: (depth) => "(".repeat(depth) + "1" + ")".repeat(depth),
  "parentheses that are not closed": (depth) => "(".repeat(depth),
  brackets: (depth) => "[".repeat(depth) + "]".repeat(depth),
  blocks: (depth) => "{".repeat(depth) + "}".repeat(depth),
  templates: (depth) => "`${".repeat(depth) + "1" + "}`".repeat(depth),
  "type arguments": (depth) => `let a: ${"A<".repeat(depth)}A${">".repeat(depth)}`,
  arrows: (depth) => `${"a=>".repeat(depth)}1`,
  "await": (depth) => `${"await ".repeat(depth)}1`,
  members: (depth) => `a${".b".repeat(depth)}`,
  operators: (depth) => `${"!".repeat(depth)}1`,
};

for (const [name, code] of Object.entries(nested)) {
  Deno.test(`10,000 nested ${name} are an error, 100 are not`, async () => {
    await assertRejects(() => transform(code(10_000)), CodeError);
    const shallow = await transform(code(100)).then(() => "read", ({ name }) => name);
    const incomplete = name.endsWith("not closed");
    assertEquals(shallow, incomplete ? "SyntaxError" : "read");
  });
}
