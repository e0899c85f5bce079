import { assertEquals } from "@std/assert";
import { safe } from "../../../lib/escape.ts";
import { bytesText, progressLine, secondsText } from "../../../repl/view/progress.ts";

Deno.test("progress in one line, sizes and durations", () => {
  assertEquals(
    progressLine(safe`Indexing`, 256 << 20, 1 << 30, 2),
    "Indexing ████████░░░░░░░░░░░░░░░░░░░░░░  25 %  256 MiB of 1.0 GiB, 128 MiB/s, 6.0 s left",
  );
  assertEquals(progressLine(safe`x`, 0, 0, 0), `x ${"█".repeat(30)} 100 %  0 B of 0 B`);
  assertEquals(bytesText(1023), "1.0 KiB");
  assertEquals(bytesText(999), "999 B");
  assertEquals(bytesText(5.25e12), "4.8 TiB");
  assertEquals(secondsText(59.94), "59.9 s");
  assertEquals(secondsText(125), "2:05");
  assertEquals(secondsText(7384), "2:03:04");
});
