/** Stands in for `jsr:@std/assert` where JSR cannot be reached: the assertions that this project's
 * tests use, resting on `node:util` and `node:assert`.
 *
 * Deep equality is that of `node:util`. Where it differs from `@std/assert`, it is the stricter of
 * the two (`0` and `-0` inside an object, a null prototype), so what passes here passes there.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert";
import { inspect, isDeepStrictEqual, stripVTControlCharacters } from "node:util";

/** What every assertion of this module throws. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** A class, abstract or not. */
// deno-lint-ignore no-explicit-any
type Class<T> = abstract new (...args: any[]) => T;

/** An array-like that is not a string. */
export type ArrayLikeArg<T> = ArrayLike<T> & object;

/** What is false in a condition. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

function format(value: unknown): string {
  return inspect(value, { depth: Infinity, sorted: true, breakLength: 80, maxArrayLength: 200 });
}

function suffix(msg: string | undefined): string {
  return msg ? `: ${msg}` : ".";
}

/** The difference between two values, as `node:assert` words it. */
function difference(actual: unknown, expected: unknown): string {
  try {
    deepStrictEqual(actual, expected);
  } catch (error) {
    return (error as Error).message.replace(/^.*\n/, "");
  }
  return `${format(actual)}\n${format(expected)}`;
}

/** Whether two values are deeply equal. */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

/** Asserts that `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Asserts that `expr` is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** Asserts that two values are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(
    `Values are not equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}

/** Asserts that two values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    `Expected actual: ${format(actual)} not to be: ${format(expected)}${suffix(msg)}`,
  );
}

/** Asserts that two values are the same value (`Object.is`). */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  throw new AssertionError(
    isDeepStrictEqual(actual, expected)
      ? `Values have the same structure but are not reference-equal${suffix(msg)}\n\n${
        format(actual)
      }\n`
      : `Values are not strictly equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}

/** Asserts that two values are not the same value (`Object.is`). */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!Object.is(actual, expected)) return;
  throw new AssertionError(
    `Expected "actual" to not be strictly equal to: ${format(actual)}${suffix(msg)}\n`,
  );
}

/** Asserts that a value is neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not be null or undefined${suffix(msg)}`,
  );
}

/** Asserts that a value is an instance of a class. */
// deno-lint-ignore no-explicit-any
export function assertInstanceOf<T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  const found = actual !== null && typeof actual === "object"
    ? actual.constructor?.name ?? "Object"
    : actual === null
    ? "null"
    : typeof actual;
  throw new AssertionError(
    `Expected object to be an instance of "${expectedType.name}" but was "${found}"${suffix(msg)}`,
  );
}

/** Asserts that `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (actual > expected) return;
  throw new AssertionError(msg ?? `Expect ${format(actual)} > ${format(expected)}`);
}

/** Asserts that `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual >= expected) return;
  throw new AssertionError(msg ?? `Expect ${format(actual)} >= ${format(expected)}`);
}

/** Asserts that `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (actual < expected) return;
  throw new AssertionError(msg ?? `Expect ${format(actual)} < ${format(expected)}`);
}

/** Asserts that `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual <= expected) return;
  throw new AssertionError(msg ?? `Expect ${format(actual)} <= ${format(expected)}`);
}

/** Asserts that two numbers differ by at most `tolerance`; by default a ten-millionth of `expected`. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void {
  if (Object.is(actual, expected)) return;
  const delta = Math.abs(expected - actual);
  const allowed = tolerance ?? (Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7);
  if (delta <= allowed) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to be close to "${expected}": ` +
      `delta "${delta}" is greater than "${allowed}"${suffix(msg)}`,
  );
}

/** Asserts that a string matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(`Expected actual: "${actual}" to match: "${expected}"${suffix(msg)}`);
}

/** Asserts that a string does not match a pattern. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not match: "${expected}"${suffix(msg)}`,
  );
}

/** Asserts that a string contains another. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(`Expected actual: "${actual}" to contain: "${expected}"${suffix(msg)}`);
}

/** Asserts that an array holds every element of another, in any order. */
export function assertArrayIncludes<T>(
  actual: ArrayLikeArg<T>,
  expected: ArrayLikeArg<T>,
  msg?: string,
): void {
  const held = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !held.some((other) => equal(item, other)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected actual: "${format(actual)}" to include: "${format(expected)}"${suffix(msg)}\n` +
      `missing: ${format(missing)}`,
  );
}

/** The part of `actual` that `expected` speaks of: its keys, and the first elements of its arrays. */
function narrow(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return expected.slice(0, actual.length).map((item, index) => narrow(actual[index], item));
  }
  if (!isPlain(actual) || !isPlain(expected)) return actual;
  return Object.fromEntries(
    Reflect.ownKeys(expected).filter((key) => Object.hasOwn(actual, key)).map((key) => [
      key,
      narrow(actual[key], expected[key]),
    ]),
  );
}

/** Whether a value is an object that is compared key by key, of whatever class. */
function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof RegExp || value instanceof Date || value instanceof Map ||
      value instanceof Set);
}

/** Asserts that an object has at least the keys of another, with equal values. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(narrow(actual, expected), narrow(expected, expected), msg);
}

/** Asserts that a value is an error, of a class and with a message when these are given. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: Class<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) {
    throw new AssertionError(`Expected "error" to be an Error object${suffix(msg)}`);
  }
  if (ErrorClass && !(error instanceof ErrorClass)) {
    throw new AssertionError(
      `Expected error to be instance of "${ErrorClass.name}", but was "${error.constructor?.name}"${
        suffix(msg)
      }`,
      { cause: error },
    );
  }
  const message = stripVTControlCharacters(error.message);
  const matches = typeof msgMatches === "string"
    ? message.includes(stripVTControlCharacters(msgMatches))
    : msgMatches?.test(message) ?? true;
  if (!matches) {
    throw new AssertionError(
      `Expected error message to include ${
        msgMatches instanceof RegExp ? `${msgMatches}` : JSON.stringify(msgMatches)
      }, but got ${JSON.stringify(error.message)}${suffix(msg)}`,
      { cause: error },
    );
  }
}

/** The arguments of {@linkcode assertThrows} and {@linkcode assertRejects}, told apart. */
function expectation(
  classOrMsg: Class<Error> | string | undefined,
  includesOrMsg: string | undefined,
  msg: string | undefined,
): { errorClass?: Class<Error>; includes?: string; msg?: string } {
  if (typeof classOrMsg === "string") return { msg: classOrMsg };
  return { errorClass: classOrMsg, includes: includesOrMsg, msg };
}

function checkThrown(
  error: unknown,
  expected: ReturnType<typeof expectation>,
  verb: string,
): void {
  if (!expected.errorClass) return;
  if (!(error instanceof Error)) {
    throw new AssertionError(`A non-Error object was ${verb}${suffix(expected.msg)}`);
  }
  assertIsError(error, expected.errorClass, expected.includes, expected.msg);
}

/** Asserts that a function throws; returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Asserts that a function throws an error of a class; returns the error. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  classOrMsg?: Class<Error> | string,
  includesOrMsg?: string,
  msg?: string,
): unknown {
  const expected = expectation(classOrMsg, includesOrMsg, msg);
  try {
    fn();
  } catch (error) {
    checkThrown(error, expected, "thrown");
    return error;
  }
  throw new AssertionError(`Expected function to throw${suffix(expected.msg)}`);
}

/** Asserts that a function's promise rejects; returns what it rejected with. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Asserts that a function's promise rejects with an error of a class; returns the error. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any
  ErrorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: Class<Error> | string,
  includesOrMsg?: string,
  msg?: string,
): Promise<unknown> {
  const expected = expectation(classOrMsg, includesOrMsg, msg);
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (error) {
    throw new AssertionError(
      `Function throws when expected to reject${suffix(expected.msg)}`,
      { cause: error },
    );
  }
  if (typeof promise?.then !== "function") {
    throw new AssertionError(`Function throws when expected to reject${suffix(expected.msg)}`);
  }
  try {
    await promise;
  } catch (error) {
    checkThrown(error, expected, "rejected");
    return error;
  }
  throw new AssertionError(`Expected function to reject${suffix(expected.msg)}`);
}

/** Fails. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

/** Fails where control should not come. */
export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${suffix(msg)}`);
}
