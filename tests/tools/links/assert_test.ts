// What the tests rely on of @std/assert; holds for the stand-in and for the real package.

import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertIsError,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertNotStrictEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  equal,
  fail,
  unreachable,
} from "@std/assert";

/** Runs what must fail; the message of its failure. */
function failure(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AssertionError && error.name === "AssertionError") return error.message;
    throw error;
  }
  throw new Error("nothing was asserted");
}

/** As {@linkcode failure}, of something asynchronous. */
async function rejection(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof AssertionError) return error.message;
    throw error;
  }
  throw new Error("nothing was asserted");
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

Deno.test("deep equality", () => {
  const same: [unknown, unknown][] = [
    [1n, 1n],
    [NaN, NaN],
    [0, -0],
    [{ a: [1, { b: 2n }] }, { a: [1, { b: 2n }] }],
    [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
    [new Set([1, 2]), new Set([2, 1])],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [new Date(5), new Date(5)],
    [/a/g, /a/g],
  ];
  for (const [a, b] of same) {
    expect(equal(a, b), `${a} and ${b} are equal`);
    assertEquals(a, b);
    failure(() => assertNotEquals(a, b));
  }
  const different: [unknown, unknown][] = [
    [1, 1n],
    [1, "1"],
    [{ a: undefined }, {}],
    [[1, 2], [2, 1]],
    [new Uint8Array([1]), [1]],
    [new Uint8Array([1]), new Uint16Array([1])],
    [null, undefined],
    [/a/g, /a/i],
    [new Map([["a", 1]]), new Map([["a", 2]])],
  ];
  for (const [a, b] of different) {
    expect(!equal(a, b), `${a} and ${b} differ`);
    assertNotEquals(a, b);
    expect(
      failure(() => assertEquals(a, b, "note")).startsWith("Values are not equal: note\n"),
      "the message",
    );
  }
});

Deno.test("simple conditions", () => {
  assert(1);
  assertFalse("");
  assertExists(0);
  assertGreater(2n, 1n);
  assertGreaterOrEqual(2, 2);
  assertLess("a", "b");
  assertLessOrEqual(1, 1);
  assertAlmostEquals(0.1 + 0.2, 0.3);
  assertAlmostEquals(10, 11, 1);
  assertMatch("abc", /b/);
  assertNotMatch("abc", /d/);
  assertStringIncludes("abc", "bc");
  assertArrayIncludes([1, { a: 1 }, 3], [{ a: 1 }, 1]);
  assertInstanceOf(new TypeError(), Error);
  const object = {};
  assertStrictEquals(object, object);
  assertNotStrictEquals(object, {});

  expect(failure(() => assert(0, "why")) === "why", "the message");
  expect(failure(() => assertFalse(1, "why")) === "why", "the message");
  expect(
    failure(() => assertExists(null)) === 'Expected actual: "null" to not be null or undefined.',
    "the message",
  );
  expect(failure(() => assertGreater(1, 2)) === "Expect 1 > 2", "the message");
  expect(failure(() => assertGreaterOrEqual(1, 2)) === "Expect 1 >= 2", "the message");
  expect(failure(() => assertLess(2, 1)) === "Expect 2 < 1", "the message");
  expect(failure(() => assertLessOrEqual(2, 1, "why")) === "why", "the message");
  failure(() => assertAlmostEquals(1, 1.1));
  expect(
    failure(() => assertMatch("abc", /d/)) === 'Expected actual: "abc" to match: "/d/".',
    "the message",
  );
  failure(() => assertNotMatch("abc", /a/));
  expect(
    failure(() => assertStringIncludes("abc", "d", "why")) ===
      'Expected actual: "abc" to contain: "d": why',
    "the message",
  );
  failure(() => assertArrayIncludes([1, 2], [3]));
  failure(() => assertInstanceOf({}, Error));
  failure(() => assertStrictEquals({}, {}));
  failure(() => assertNotStrictEquals(1, 1));
  expect(failure(() => fail("why")) === "Failed assertion: why", "the message");
  expect(failure(() => unreachable()) === "Unreachable.", "the message");
});

Deno.test("assertObjectMatch looks at what is expected alone", () => {
  class Point {
    constructor(readonly x: number, readonly y: number) {}
  }
  assertObjectMatch({ a: 1, b: { c: [1, 2], d: 3 } }, { b: { c: [1, 2] } });
  assertObjectMatch({ list: [{ a: 1, b: 2 }, { a: 3 }] }, { list: [{ a: 1 }] });
  assertObjectMatch({ point: new Point(1, 2) }, { point: { x: 1 } });
  failure(() => assertObjectMatch({ a: 1 }, { a: 2 }));
  failure(() => assertObjectMatch({ a: 1 }, { b: 1 }));
  failure(() => assertObjectMatch({ list: [1] }, { list: [1, 2] }));
});

Deno.test("assertThrows", () => {
  const error = new RangeError("too \x1b[1mfar\x1b[0m");
  const raise = () => {
    throw error;
  };
  expect(assertThrows(raise) === error, "returns what was thrown");
  expect(assertThrows(raise, RangeError, "too far") === error, "returns the error");
  expect(assertThrows(raise, Error) === error, "a subclass is fine");
  failure(() => assertThrows(raise, TypeError));
  failure(() => assertThrows(raise, RangeError, "near"));
  expect(failure(() => assertThrows(() => 1)) === "Expected function to throw.", "the message");
  expect(
    failure(() => assertThrows(() => 1, "why")) === "Expected function to throw: why",
    "the message",
  );
  failure(() =>
    assertThrows(() => {
      throw "text";
    }, Error)
  );
  assertIsError(error, RangeError, /^too/);
});

Deno.test("assertRejects", async () => {
  const error = new RangeError("too far");
  const raise = () => Promise.reject(error);
  expect(await assertRejects(raise) === error, "returns what was rejected");
  expect(await assertRejects(raise, RangeError, "too") === error, "returns the error");
  await rejection(() => assertRejects(raise, TypeError));
  await rejection(() => assertRejects(raise, RangeError, "near"));
  expect(
    await rejection(() => assertRejects(() => Promise.resolve(1))) ===
      "Expected function to reject.",
    "the message",
  );
  expect(
    await rejection(() =>
      assertRejects(() => {
        throw error;
      })
    ) === "Function throws when expected to reject.",
    "the message",
  );
});
