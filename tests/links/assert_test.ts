import { assertEquals } from "@std/assert";
Deno.test("x", () => { assertEquals({a:[1n]}, {a:[1n]}); });
