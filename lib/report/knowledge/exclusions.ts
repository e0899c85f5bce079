/** What a report may prove, and the causes and pieces of advice that it excludes by that. */

/** What a report proves.
 *
 * - `read`, `write`, `jump`: how the address was used
 * - `no jump`: the address was not that of the next instruction
 * - `null`: the address is null itself; `not null`: the pointer is not null, nor is it one to a member of what is null
 * - `near null`: the address is that of null or of little more; `behind null`: it is not that of null itself
 * - `based`: the register by which the address was reached is not null
 * - `no pointer`: no memory ever had the address, as data in place of a pointer
 * - `of a file`, `made memory`, `of an image`: what is at the address
 * - `constant`: the pointer, without its signature, is to constants or code of an image
 * - `-1`: the address is -1
 * - `32 bits`, `powerpc`, `mac`, `mobile`, `apple silicon`: the program's CPU and its system
 * - `data key`: a pointer's authentication failed by a key for data
 * - `frames repeat`: the report shows which functions filled the stack; `few frames`: it has all of a stack that is not deep
 * - `one thread`: the process had no other thread
 * - `enough memory`: a panic's message says that the system was not short of it
 * - `zombies`, `sanitizer`: what was switched on in the process; `zombies named`: the console has what zombies told
 * - `no objects`: no object of Objective-C was used where the process ended, which alone leave zombies
 * - `not built here`: nobody can run the program with the tools for what Xcode built
 * - `quoted`: the message, or the exception's reason, was told
 * - `freed`: a register shows that the memory was freed
 * - `system's object`: what was being destroyed, and all that was called for it, is of the system
 * - `no block`, `static block`: what was freed cannot be the begin of a block, or is in an image
 * - `lasting object`: what got a message is a class, or an object that is never deallocated
 * - `elements`: the collection is not empty
 * - `divisor`: what was divided by is known, and told
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
  | "far from null"
  | "behind null"
  | "based"
  | "no pointer"
  | "of a file"
  | "made memory"
  | "of an image"
  | "constant"
  | "-1"
  | "32 bits"
  | "powerpc"
  | "mac"
  | "mobile"
  | "apple silicon"
  | "data key"
  | "frames repeat"
  | "few frames"
  | "one thread"
  | "enough memory"
  | "zombies"
  | "zombies named"
  | "no objects"
  | "not built here"
  | "quoted"
  | "freed"
  | "system's object"
  | "no block"
  | "static block"
  | "sanitizer"
  | "lasting object"
  | "elements"
  | "divisor"
  | "zeros"
  | "system register";

/** Causes, or clauses of advice, that cannot be where any of some facts is proved. */
export interface Exclusion {
  /** The words by which they are known. */
  readonly words: RegExp;
  readonly by: readonly ReportFact[];
  /** Of advice: what is said in place of the words; the whole clause is left out where it is absent. */
  readonly instead?: string;
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
    by: ["jump", "of an image"],
    source: "a stack is in no image, and is not run",
  },
  {
    words: /\b(?:an integer divided by|a divisor that is) zero, or a quotient that does not fit$/,
    by: ["divisor"],
    source: "Intel, DIV and IDIV: the divisor tells which",
  },
  // What the address is.
  {
    words:
      /^a (?:pointer|string) that is null\b|^an array, table or large object that is null\b|^an index or a large offset from a pointer that is null$/,
    by: ["not null"],
    source: "no object is at null",
  },
  {
    words: /^a string that is null$/,
    by: ["behind null"],
    source: "string(3): what is read first is at the pointer itself",
  },
  {
    words: /^a string inside of something that is null$/,
    by: ["null", "far from null"],
    source: "what has the string is at null, and the string behind that",
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
    by: ["32 bits", "-1", "near null"],
    source: "a pointer of 32 bits has nothing to be cut off; images and blocks are far from null",
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
  {
    words: /^(?:endless )?recursion\b(?!.*large local)/,
    by: ["few frames"],
    source: "the stack is there as a whole, and is not deep",
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
  {
    words: /^memory damage in the object$/,
    by: ["freed", "zombies named"],
    source: "malloc(3): its marks of freed memory; Apple, Investigating crashes for zombie objects",
  },
  {
    words: /^a block freed twice$|^two owners of one block$/,
    by: ["no block", "static block"],
    source: "malloc(3): blocks begin at multiples of 16, outside of images",
  },
  {
    words: /^a pointer into the middle of a block$/,
    by: ["static block"],
    source: "no block is in an image",
  },
  {
    words: /^an object that is destroyed twice, as with two owners$/,
    by: ["system's object"],
    source: "who owns an object inside of a library is the library's own matter",
  },
  { words: /^an empty collection$/, by: ["elements"], source: "the message has the bounds" },
  // The system.
  {
    words: /^memory that was short$/,
    by: ["enough memory"],
    source: "XNU, osfmk/kern/debug.c",
  },
  {
    words: /\bhackintosh\b/,
    by: ["mobile", "apple silicon"],
    source: "only Macs with Intel's CPUs",
  },
  { words: /\bjailbroken\b/, by: ["mac"], source: "a Mac needs none" },
];

const sanitizers = "Clang, AddressSanitizer: Supported Platforms";

/** What is done with a program that is built for it, or run in a debugger. */
const builtHere =
  /[Zz]ombie|Address Sanitizer|Guard Malloc|API validation|[Bb]reak on |memory graph|Instruments|-Wformat|ConcurrencyDebug|RUST_BACKTRACE|dSYM/;

/** What sends to a message that the report has, and that is quoted. */
const ofMessage =
  /^(?:[Rr]ead (?:its|the) (?:message|reason|condition|error's text|words after it|termination(?:'s)? \w+|crash reason|panic's message)|[Tt]he message (?:has|names|says)\b|[Rr]ead (?:class and \w+|the condition) in the (?:exception's )?reason|[Rr]ead the exception's reason\b|(?:[Rr]ead|[Cc]heck) the \w+(?:, \w+ or \w+)? in the exception's reason\b|[Ss]ee the reason\b|[Rr]ead the assertion's text|[Tt]he calling frame has the assertion|where the report has no text of it)/;

/** Clauses of advice that a report can exclude. */
export const excludedAdvice: readonly Exclusion[] = [
  {
    words: /\bwhich function has large local variables\b/,
    by: ["frames repeat"],
    source: "the frames that repeat are named",
  },
  {
    words: /Address Sanitizer or zombie objects|zombie objects or Address Sanitizer/,
    by: ["zombies", "zombies named", "no objects"],
    instead: "Address Sanitizer",
    source: "only objects of Objective-C leave zombies, and each once",
  },
  {
    words: /zombie objects or Address Sanitizer/,
    by: ["sanitizer", "powerpc"],
    instead: "zombie objects",
    source: sanitizers,
  },
  {
    words: /Address Sanitizer or Guard Malloc/,
    by: ["sanitizer", "powerpc"],
    instead: "Guard Malloc",
    source: sanitizers,
  },
  {
    words: /\b[Rr]un (?:it )?with Address Sanitizer\b(?! or)/,
    by: ["sanitizer", "powerpc"],
    source: sanitizers,
  },
  {
    words: /\b[Rr]un with zombie objects\b(?! or)|\bzombie objects name its class\b/,
    by: ["zombies", "zombies named"],
    source: "they were on",
  },
  {
    words: /^[Vv]erify the signature: codesign\b/,
    by: ["made memory"],
    source: "what comes of no file has no signature to be verified",
  },
  {
    words: /^Check who owns the object and its members$/,
    by: ["system's object"],
    source: "who owns an object inside of a library is the library's own matter",
  },
  {
    words: /zombie objects or Thread Sanitizer/,
    by: ["mobile", "powerpc"],
    instead: "zombie objects",
    source: "Clang, ThreadSanitizer: Supported Platforms",
  },
  { words: /^Find the write\b/, by: ["read", "jump"], source: access },
  {
    words: /^Disassemble the function at the program counter$/,
    by: ["zeros"],
    source: "zeros are no function",
  },
  {
    words:
      /\b(?:[Rr]un|by) Apple Diagnostics\b|\bnot Apple's\b|\bextensions of others\b|\bremove extensions\b/,
    by: ["mobile"],
    source: "a mobile device has neither Apple Diagnostics nor extensions of others",
  },
  {
    words: builtHere,
    by: ["not built here"],
    source: "Apple's programs, and managed code, are built by nobody who reads of them",
  },
  { words: ofMessage, by: ["quoted"], source: "it is there" },
];
