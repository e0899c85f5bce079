/** The letters of Swift manglings (docs/ABI/Mangling.rst). */

/** `S` and a letter: types of the standard library, as kind and name. */
export const standardTypes: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  A: ["Structure", "AutoreleasingUnsafeMutablePointer"],
  a: ["Structure", "Array"],
  b: ["Structure", "Bool"],
  D: ["Structure", "Dictionary"],
  d: ["Structure", "Double"],
  f: ["Structure", "Float"],
  h: ["Structure", "Set"],
  I: ["Structure", "DefaultIndices"],
  i: ["Structure", "Int"],
  J: ["Structure", "Character"],
  N: ["Structure", "ClosedRange"],
  n: ["Structure", "Range"],
  O: ["Structure", "ObjectIdentifier"],
  P: ["Structure", "UnsafePointer"],
  p: ["Structure", "UnsafeMutablePointer"],
  R: ["Structure", "UnsafeBufferPointer"],
  r: ["Structure", "UnsafeMutableBufferPointer"],
  S: ["Structure", "String"],
  s: ["Structure", "Substring"],
  u: ["Structure", "UInt"],
  V: ["Structure", "UnsafeRawPointer"],
  v: ["Structure", "UnsafeMutableRawPointer"],
  W: ["Structure", "UnsafeRawBufferPointer"],
  w: ["Structure", "UnsafeMutableRawBufferPointer"],
  q: ["Enum", "Optional"],
  B: ["Protocol", "BinaryFloatingPoint"],
  E: ["Protocol", "Encodable"],
  e: ["Protocol", "Decodable"],
  F: ["Protocol", "FloatingPoint"],
  G: ["Protocol", "RandomNumberGenerator"],
  H: ["Protocol", "Hashable"],
  j: ["Protocol", "Numeric"],
  K: ["Protocol", "BidirectionalCollection"],
  k: ["Protocol", "RandomAccessCollection"],
  L: ["Protocol", "Comparable"],
  l: ["Protocol", "Collection"],
  M: ["Protocol", "MutableCollection"],
  m: ["Protocol", "RangeReplaceableCollection"],
  Q: ["Protocol", "Equatable"],
  T: ["Protocol", "Sequence"],
  t: ["Protocol", "IteratorProtocol"],
  U: ["Protocol", "UnsignedInteger"],
  X: ["Protocol", "RangeExpression"],
  x: ["Protocol", "Strideable"],
  Y: ["Protocol", "RawRepresentable"],
  y: ["Protocol", "StringProtocol"],
  Z: ["Protocol", "SignedInteger"],
  z: ["Protocol", "BinaryInteger"],
  // After a further "c": types of concurrency.
  cA: ["Protocol", "Actor"],
  cC: ["Structure", "CheckedContinuation"],
  cc: ["Structure", "UnsafeContinuation"],
  cE: ["Structure", "CancellationError"],
  ce: ["Structure", "UnownedSerialExecutor"],
  cF: ["Protocol", "Executor"],
  cf: ["Protocol", "SerialExecutor"],
  cG: ["Structure", "TaskGroup"],
  cg: ["Structure", "ThrowingTaskGroup"],
  ch: ["Protocol", "TaskExecutor"],
  cI: ["Protocol", "AsyncIteratorProtocol"],
  ci: ["Protocol", "AsyncSequence"],
  cJ: ["Structure", "UnownedJob"],
  cM: ["Class", "MainActor"],
  cP: ["Structure", "TaskPriority"],
  cS: ["Structure", "AsyncStream"],
  cs: ["Structure", "AsyncThrowingStream"],
  cT: ["Structure", "Task"],
  ct: ["Structure", "UnsafeCurrentTask"],
};

/** The same in the old mangling (`_T`). */
export const oldStandardTypes: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  a: ["Structure", "Array"],
  b: ["Structure", "Bool"],
  c: ["Structure", "UnicodeScalar"],
  d: ["Structure", "Double"],
  f: ["Structure", "Float"],
  i: ["Structure", "Int"],
  V: ["Structure", "UnsafeRawPointer"],
  v: ["Structure", "UnsafeMutableRawPointer"],
  P: ["Structure", "UnsafePointer"],
  p: ["Structure", "UnsafeMutablePointer"],
  q: ["Enum", "Optional"],
  Q: ["Enum", "ImplicitlyUnwrappedOptional"],
  R: ["Structure", "UnsafeBufferPointer"],
  r: ["Structure", "UnsafeMutableBufferPointer"],
  S: ["Structure", "String"],
  u: ["Structure", "UInt"],
};

/** The modules of Objective-C and C declarations (`So`), and of declarations made by the importer
 * (`SC`). */
export const foreignModules: Readonly<Record<string, string>> = { o: "__C", C: "__C_Synthesized" };

/** `B` and a letter: builtin types. */
export const builtinTypes: Readonly<Record<string, string>> = {
  A: "ImplicitActor",
  b: "BridgeObject",
  B: "UnsafeValueBuffer",
  e: "Executor",
  I: "IntLiteral",
  O: "UnknownObject",
  o: "NativeObject",
  p: "RawPointer",
  j: "Job",
  D: "DefaultActorStorage",
  d: "NonDefaultDistributedActorStorage",
  c: "RawUnsafeContinuation",
  t: "SILToken",
  w: "Word",
  P: "PackIndex",
};

/** `w` and two letters. */
export const valueWitnesses: Readonly<Record<string, string>> = {
  al: "allocateBuffer",
  ca: "assignWithCopy",
  ta: "assignWithTake",
  de: "deallocateBuffer",
  xx: "destroy",
  XX: "destroyBuffer",
  Xx: "destroyArray",
  CP: "initializeBufferWithCopyOfBuffer",
  Cp: "initializeBufferWithCopy",
  cp: "initializeWithCopy",
  Tk: "initializeBufferWithTake",
  tk: "initializeWithTake",
  pr: "projectBuffer",
  TK: "initializeBufferWithTakeOfBuffer",
  Cc: "initializeArrayWithCopy",
  Tt: "initializeArrayWithTakeFrontToBack",
  tT: "initializeArrayWithTakeBackToFront",
  xs: "storeExtraInhabitant",
  xg: "getExtraInhabitantIndex",
  ug: "getEnumTag",
  up: "destructiveProjectEnumData",
  ui: "destructiveInjectEnumTag",
  et: "getEnumTagSinglePayload",
  st: "storeEnumTagSinglePayload",
};

/** The characters of operators by their letters. */
const operatorCharacters: Readonly<Record<string, string>> = {
  a: "&",
  c: "@",
  d: "/",
  e: "=",
  g: ">",
  l: "<",
  m: "*",
  n: "!",
  o: "|",
  p: "+",
  q: "?",
  r: "%",
  s: "-",
  t: "~",
  x: "^",
  z: ".",
};

/** The operator that `letters` spell; `null` for none. Non-ASCII characters stand for themselves.
 */
export function operatorName(letters: string): string | null {
  let name = "";
  for (const letter of letters) {
    const character = letter > "\x7f" ? letter : operatorCharacters[letter];
    if (character === undefined) return null;
    name += character;
  }
  return name;
}

/** The accessors of variables and subscripts: the last letters of `v` and `i`. */
export const accessors: Readonly<Record<string, string>> = {
  m: "MaterializeForSet",
  s: "Setter",
  g: "Getter",
  G: "GlobalGetter",
  w: "WillSet",
  W: "DidSet",
  r: "ReadAccessor",
  y: "Read2Accessor",
  M: "ModifyAccessor",
  x: "Modify2Accessor",
  i: "InitAccessor",
  b: "BorrowAccessor",
  z: "MutateAccessor",
  aO: "OwningMutableAddressor",
  ao: "NativeOwningMutableAddressor",
  aP: "NativePinningMutableAddressor",
  au: "UnsafeMutableAddressor",
  lO: "OwningAddressor",
  lo: "NativeOwningAddressor",
  lp: "NativePinningAddressor",
  lu: "UnsafeAddressor",
};

/** The representation of a metatype. */
export const metatypeRepresentations: Readonly<Record<string, string>> = {
  t: "@thin",
  T: "@thick",
  o: "@objc_metatype",
};

/** How a parameter was specialized, as in Swift's FunctionSigSpecializationParamKind: kinds, and
 * flags from 64 on. */
export const specialized = {
  function: 0,
  global: 1,
  integer: 2,
  float: 3,
  string: 4,
  closure: 5,
  boxToValue: 6,
  boxToStack: 7,
  inoutToOut: 8,
  keyPath: 9,
  struct: 10,
  previousClosure: 11,
  dead: 64,
  ownedToGuaranteed: 128,
  exploded: 256,
  guaranteedToOwned: 512,
  existentialToGeneric: 1024,
} as const;
