import { assertThrows } from "@std/assert";
import { MachError } from "../../lib/errors.ts";
import { attach } from "../../ffi/processes.ts";

Deno.test("a pid that cannot be one is refused before the system is asked", () => {
  for (const pid of ["99999999999999999999", 2 ** 31, -1, 1.5, NaN]) {
    assertThrows(() => attach(pid), MachError, "cannot be a pid");
  }
});
