/** What a report may prove, and the causes and pieces of advice that it excludes by that. */

/** What a report proves.
 *
 * - `read`, `write`, `jump`: how the address was used
 * - `no jump`: the address was not that of the next instruction
 * - `null`: the address is null itself; `not null`: the pointer is not null, nor is it one to a member of what is null
 * - `near null`: the address is that of null or of little more
 * - `based`: the register by which the address was reached is not null
 * - `no pointer`: no memory ever had the address, as data in place of a pointer
 * - `of a file`, `made memory`: what the region of the address holds
 * - `constant`: the pointer, without its signature, is to constants or code of an image
 * - `-1`: the address is -1
 * - `32 bits`, `powerpc`, `mac`, `mobile`, `apple silicon`: the program's CPU and its system
 * - `data key`: a pointer's authentication failed by a key for data
 * - `frames repeat`: the report shows which functions filled the stack
 * - `one thread`: the process had no other thread
 * - `zombies`, `sanitizer`: what was switched on in the process
 * - `lasting object`: what got a message is a class, or an object that is never deallocated
 * - `elements`: the collection is not empty
 * - `zeros`, `system register`: what the refused instruction is
 */
export type ReportFact =
  | "read"
  | "write"
  | "jump"
  | "no jump"
  | "null"
  | "not null"
  | "near null"
  | "based"
  | "no pointer"
  | "of a file"
  | "made memory"
  | "constant"
  | "-1"
  | "32 bits"
  | "powerpc"
  | "mac"
  | "mobile"
  | "apple silicon"
  | "data key"
  | "frames repeat"
  | "one thread"
  | "zombies"
  | "sanitizer"
  | "lasting object"
  | "elements"
  | "zeros"
  | "system register";

/** Causes, or clauses of advice, that cannot be where any of some facts is proved. */
export interface Exclusion {
  /** The words by which they are known. */
  readonly words: RegExp;
  readonly by: readonly ReportFact[];
  /** Why. */
  readonly source: string;
}

const access = "Arm Architecture Reference Manual, ESR_ELx; Intel, Interrupt 14";
const threads = "Apple, reports list all threads of the process";

/** Causes that a report can exclude: each says by what. */
export const excludedCauses: readonly Exclusion[] = [
  // How the address was used.
  {
    words: /^a write to (?:a constant|what may only be read)\b/,
    by: ["read", "jump"],
    source: access,
  },
  { words: /^a jump to /, by: ["no jump"], source: access },
  { words: /^a function pointer that is null\b/, by: ["no jump", "not null"], source: access },
  {
    words: /^the end of a stack\b|^recursion\b.* large local array$/,
    by: ["jump"],
    source: access,
  },
  // What the address is.
  {
    words:
      /^a (?:pointer|string) that is null\b|^an array, table or large object that is null\b|^an index or a large offset from a pointer that is null$/,
    by: ["not null"],
    source: "no object is at null",
  },
  {
    words: /^an index or a large offset from a pointer that is null$/,
    by: ["based"],
    source: "the register that the instruction used is not null",
  },
  {
    words:
      /^a (?:string|buffer) that (?:was already freed|is too small)|^a number or an object where a string\b/,
    by: ["null"],
    source: "malloc(3): no block is at null",
  },
  {
    words: /^a string that (?:was already freed|does not end)/,
    by: ["near null", "no pointer"],
    source: "malloc(3): no block is near null, or at an address that is none",
  },
  {
    words: /^code of a library or plug-in that was unloaded\b/,
    by: ["near null", "no pointer"],
    source: "no library was ever at the address",
  },
  {
    words: /^a pointer that was cut to 32 bits$/,
    by: ["32 bits", "-1"],
    source: "a pointer of 32 bits has nothing to be cut off; all bits of -1 are set",
  },
  {
    words: /^a pointer that was overwritten, or read from an object that was deallocated$/,
    by: ["constant"],
    source: "what it was overwritten with would not be an address of constants or code",
  },
  {
    words: /^a function pointer or return address that was overwritten$/,
    by: ["data key"],
    source: "Apple, Preparing your app to work with pointer authentication: keys",
  },
  {
    words: /^(?:a binary|a program or library) (?:that was )?changed (?:in place or )?after it was/,
    by: ["made memory"],
    source: "what comes of no file has no signature to be damaged",
  },
  {
    words: /^code (?:made|written) at (?:run time|runtime)\b/,
    by: ["of a file"],
    source: "what is made while a program runs comes of no file",
  },
  // The instruction.
  {
    words: /^an instruction that this CPU does not have or a program may not use\b/,
    by: ["zeros"],
    source: "Arm Architecture Reference Manual, C6.2: UDF",
  },
  {
    words: /^code that was made wrongly or overwritten\b/,
    by: ["system register"],
    source: "Arm Architecture Reference Manual, C6.2: MRS, MSR (register)",
  },
  // The stack.
  {
    words: /^(?:a )?large local (?:arrays?|variables)$/,
    by: ["frames repeat"],
    source: "the frames that repeat filled it",
  },
  // Other threads.
  {
    words:
      /\btwo threads (?:at once|used at once)\b|^another thread (?:changes it|that does)$|^changes from several threads$|\breleased by two threads$|\bused by two threads at once\b|^a race\b|\bwhich another thread\b|, and that another thread still used$/,
    by: ["one thread"],
    source: threads,
  },
  // What got a message, or was used.
  {
    words: /^an object (?:that was deallocated and whose memory was used again)$/,
    by: ["lasting object"],
    source: "classes, constants and placeholders are never in memory that was given back",
  },
  {
    words: /^an object (?:used after it was|that was already|that was) deallocated\b/,
    by: ["zombies"],
    source: "Apple, Investigating crashes for zombie objects: none is deallocated then",
  },
  { words: /^an empty collection$/, by: ["elements"], source: "the message has the bounds" },
  // The system.
  {
    words: /\bhackintosh\b/,
    by: ["mobile", "apple silicon"],
    source: "only Macs with Intel's CPUs",
  },
  { words: /\bjailbroken\b/, by: ["mac"], source: "a Mac needs none" },
];

/** Clauses of advice that a report can exclude. */
export const excludedAdvice: readonly Exclusion[] = [
  {
    words: /\bwhich function has large local variables\b/,
    by: ["frames repeat"],
    source: "the frames that repeat are named",
  },
  {
    words: /\b[Rr]un (?:it )?with Address Sanitizer\b(?! or)/,
    by: ["sanitizer", "powerpc"],
    source: "Clang, AddressSanitizer: Supported Platforms",
  },
  {
    words: /\b[Rr]un with zombie objects\b(?! or)/,
    by: ["zombies"],
    source: "they were on",
  },
];
