/** The options that subcommands and the prompt's commands share. */
import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../repl/errors.ts";
import * as tables from "../../repl/options.ts";

const { btOptions, checked, keyOf, optionsAt } = tables;

Deno.test("an option has one meaning: equal names have equal short names and values", () => {
  const seen = new Map<string, unknown>();
  for (const [name, table] of Object.entries(tables)) {
    if (!name.endsWith("Options")) continue;
    for (const [option, row] of Object.entries(table as tables.Options)) {
      const { short, value, integer, collect } = row;
      const shape = { short, value, integer, collect };
      if (seen.has(option)) assertEquals(shape, seen.get(option), `${name}: ${option}`);
      else seen.set(option, shape);
    }
  }
});

Deno.test("within a table no name and no letter is given twice", () => {
  for (const [name, table] of Object.entries(tables)) {
    if (!name.endsWith("Options")) continue;
    const names = Object.entries(table as tables.Options)
      .flatMap(([option, { short, aliases = [] }]) => [option, ...aliases, ...short ?? []]);
    assertEquals(names.length, new Set(names).size, name);
  }
});

Deno.test("--limit is --count and -c on both sides; the prompt has the --json of bt, not that of savecore", () => {
  for (const place of ["cli", "prompt"] as const) {
    const { limit, json } = optionsAt(place, btOptions);
    const saved = optionsAt(place, tables.saveCoreOptions).json;
    assertEquals([limit.short, limit.aliases], ["c", ["count"]]);
    assertEquals([json !== undefined, saved !== undefined], [true, place === "cli"]);
  }
});

Deno.test("values are checked by their rows", () => {
  assertEquals(checked("limit", btOptions.limit, "12"), 12);
  for (const text of ["0", "-1", "1.5", "x", "", "1e3", "99999999999999999999"]) {
    const error = assertThrows(() => checked("limit", btOptions.limit, text), UserError);
    assertEquals(error.exitCode, 2);
  }
  assertEquals(checked("file", {}, "12"), "12");
  const style = tables.saveCoreOptions.style;
  assertEquals(checked("style", style, "dirty"), "dirty");
  assertThrows(
    () => checked("style", style, "huge"),
    UserError,
    "one of stacks, locals, dirty, full",
  );
  assertEquals(["no-init", "load-address", "json"].map(keyOf), ["init", "loadAddress", "json"]);
});
