import { assertEquals } from "@std/assert";
import { locateDsyms } from "../../ffi/mod.ts";

const uuid = "4C4C44AA-5555-3144-A1EB-0BBE714B5C01";

Deno.test("Spotlight is asked for a UUID, and answers with bundles and archives", () => {
  const asked: string[] = [];
  const query = (text: string) => {
    asked.push(text);
    return "/Users/me/a b/App.app.dSYM\n/Users/me/App 1.xcarchive\n";
  };
  assertEquals(locateDsyms([uuid], query), [
    "/Users/me/a b/App.app.dSYM",
    "/Users/me/App 1.xcarchive/dSYMs",
  ]);
  assertEquals(asked, [`com_apple_xcode_dsym_uuids == ${uuid}`]);
  assertEquals(locateDsyms([uuid], () => ""), []);
});

Deno.test("Spotlight is asked for many UUIDs at once", () => {
  const uuids = Array.from(
    { length: 300 },
    (_, index) => `${uuid.slice(0, -4)}${String(index).padStart(4, "0")}`,
  );
  const asked: string[] = [];
  const query = (text: string) => {
    asked.push(text);
    return "/Users/me/App.dSYM\n";
  };
  assertEquals(locateDsyms(uuids, query), ["/Users/me/App.dSYM"]);
  assertEquals(asked.length, 2);
  assertEquals(asked.join(" || ").match(/[\dA-F-]{36}/g), uuids);
  assertEquals(locateDsyms([], query), []);
  assertEquals(asked.length, 2);
});

Deno.test("where there is no Spotlight nothing is found", () => {
  const query = () => {
    throw new Deno.errors.NotFound("/usr/bin/mdfind");
  };
  assertEquals(locateDsyms([uuid], query), []);
});
