/** Fixed text for kinds of nodes. */

/** Printed before the first child. */
export const before: Readonly<Record<string, string>> = {
  Static: "static ",
  CurryThunk: "curry thunk of ",
  SILThunkIdentity: "identity thunk of ",
  DispatchThunk: "dispatch thunk of ",
  MethodDescriptor: "method descriptor for ",
  MethodLookupFunction: "method lookup function for ",
  ObjCMetadataUpdateFunction: "ObjC metadata update function for ",
  ObjCResilientClassStub: "ObjC resilient class stub for ",
  FullObjCResilientClassStub: "full ObjC resilient class stub for ",
  OutlinedRetain: "outlined retain of ",
  OutlinedRelease: "outlined release of ",
  OutlinedInitializeWithTake: "outlined init with take of ",
  OutlinedInitializeWithCopy: "outlined init with copy of ",
  OutlinedAssignWithTake: "outlined assign with take of ",
  OutlinedAssignWithCopy: "outlined assign with copy of ",
  OutlinedDestroy: "outlined destroy of ",
  OutlinedEnumProjectDataForLoad: "outlined enum project data for load of ",
  OutlinedEnumTagStore: "outlined enum tag store of ",
  OutlinedEnumGetTag: "outlined enum get tag of ",
  Type: "",
  DeclContext: "",
  PackExpansion: "repeat ",
  Weak: "weak ",
  Unowned: "unowned ",
  Unmanaged: "unowned(unsafe) ",
  InOut: "inout ",
  Isolated: "isolated ",
  Sending: "sending ",
  CompileTimeLiteral: "_const ",
  ConstValue: "@const ",
  Shared: "__shared ",
  Owned: "__owned ",
  NoDerivative: "@noDerivative ",
  ProtocolSelfConformanceWitnessTable: "protocol self-conformance witness table for ",
  ProtocolWitnessTableAccessor: "protocol witness table accessor for ",
  ProtocolWitnessTable: "protocol witness table for ",
  ProtocolWitnessTablePattern: "protocol witness table pattern for ",
  GenericProtocolWitnessTable: "generic protocol witness table for ",
  GenericProtocolWitnessTableInstantiationFunction:
    "instantiation function for generic protocol witness table for ",
  ResilientProtocolWitnessTable: "resilient protocol witness table for ",
  ProtocolSelfConformanceWitness: "protocol self-conformance witness for ",
  EnumCase: "enum case for ",
  GenericTypeMetadataPattern: "generic type metadata pattern for ",
  Metaclass: "metaclass for ",
  ProtocolSelfConformanceDescriptor: "protocol self-conformance descriptor for ",
  ProtocolConformanceDescriptor: "protocol conformance descriptor for ",
  ProtocolConformanceDescriptorRecord: "protocol conformance descriptor runtime record for ",
  ProtocolDescriptor: "protocol descriptor for ",
  ProtocolDescriptorRecord: "protocol descriptor runtime record for ",
  ProtocolRequirementsBaseDescriptor: "protocol requirements base descriptor for ",
  FullTypeMetadata: "full type metadata for ",
  TypeMetadata: "type metadata for ",
  TypeMetadataAccessFunction: "type metadata accessor for ",
  TypeMetadataInstantiationCache: "type metadata instantiation cache for ",
  TypeMetadataInstantiationFunction: "type metadata instantiation function for ",
  TypeMetadataSingletonInitializationCache: "type metadata singleton initialization cache for ",
  TypeMetadataCompletionFunction: "type metadata completion function for ",
  TypeMetadataDemanglingCache: "demangling cache variable for type metadata for ",
  TypeMetadataLazyCache: "lazy cache variable for type metadata for ",
  AssociatedTypeDescriptor: "associated type descriptor for ",
  DefaultAssociatedTypeMetadataAccessor: "default associated type metadata accessor for ",
  ClassMetadataBaseOffset: "class metadata base offset for ",
  PropertyDescriptor: "property descriptor for ",
  NominalTypeDescriptor: "nominal type descriptor for ",
  NominalTypeDescriptorRecord: "nominal type descriptor runtime record for ",
  OpaqueTypeDescriptor: "opaque type descriptor for ",
  OpaqueTypeDescriptorRecord: "opaque type descriptor runtime record for ",
  OpaqueTypeDescriptorAccessor: "opaque type descriptor accessor for ",
  OpaqueTypeDescriptorAccessorImpl: "opaque type descriptor accessor impl for ",
  OpaqueTypeDescriptorAccessorKey: "opaque type descriptor accessor key for ",
  OpaqueTypeDescriptorAccessorVar: "opaque type descriptor accessor var for ",
  CoroutineContinuationPrototype: "coroutine continuation prototype for ",
  ValueWitnessTable: "value witness table for ",
  SILBoxType: "@box ",
  SILBoxImmutableField: "let ",
  SILBoxMutableField: "var ",
  ReflectionMetadataBuiltinDescriptor: "reflection metadata builtin descriptor ",
  ReflectionMetadataFieldDescriptor: "reflection metadata field descriptor ",
  ReflectionMetadataAssocTypeDescriptor: "reflection metadata associated type descriptor ",
  ReflectionMetadataSuperclassDescriptor: "reflection metadata superclass descriptor ",
  ModuleDescriptor: "module descriptor ",
  AnonymousDescriptor: "anonymous descriptor ",
  ExtensionDescriptor: "extension descriptor ",
  CanonicalSpecializedGenericMetaclass: "specialized generic metaclass for ",
  CanonicalSpecializedGenericTypeMetadataAccessFunction:
    "canonical specialized generic type metadata accessor for ",
  MetadataInstantiationCache: "metadata instantiation cache for ",
  NoncanonicalSpecializedGenericTypeMetadata: "noncanonical specialized generic type metadata for ",
  NoncanonicalSpecializedGenericTypeMetadataCache:
    "cache variable for noncanonical specialized generic type metadata for ",
  CanonicalPrespecializedGenericTypeCachingOnceToken:
    "flag for loading of canonical specialized generic type metadata for ",
  Uniquable: "uniquable ",
};

/** Printed before all children, one after another. */
export const beforeAll: Readonly<Record<string, string>> = {
  Global: "",
  TypeList: "",
  OutlinedCopy: "outlined copy of ",
  OutlinedConsume: "outlined consume of ",
  AssociatedTypeGenericParamRef: "generic parameter reference for associated type ",
  PackProtocolConformance: "pack protocol conformance ",
  DependentAssociatedConformance: "dependent associated conformance ",
  ProtocolConformanceRefInTypeModule: "protocol conformance ref (type's module) ",
  ProtocolConformanceRefInProtocolModule: "protocol conformance ref (protocol's module) ",
  ProtocolConformanceRefInOtherModule: "protocol conformance ref (retroactive) ",
};

/** Printed alone. */
export const alone: Readonly<Record<string, string>> = {
  NonObjCAttribute: "@nonobjc ",
  ObjCAttribute: "@objc ",
  DirectMethodReferenceAttribute: "super ",
  DynamicAttribute: "dynamic ",
  VTableAttribute: "override ",
  IsSerialized: "serialized",
  BuiltinTupleType: "Builtin.TheTupleType",
  UnknownIndex: "unknown index",
  DynamicSelf: "Self",
  ConstrainedExistentialSelf: "Self",
  ImplEscaping: "@escaping",
  ImplErasedIsolation: "@isolated(any)",
  ImplSendingResult: "sending",
  ErrorType: "<ERROR TYPE>",
  ConcurrentFunctionType: "@Sendable ",
  IsolatedAnyFunctionType: "@isolated(any) ",
  NonIsolatedCallerFunctionType: "nonisolated(nonsending) ",
  SendingResultFunctionType: "sending ",
  AsyncAnnotation: " async",
  ThrowsAnnotation: " throws",
  OpaqueReturnType: "some",
  AsyncRemoved: "async demotion of ",
  RepresentationChanged: "representation changed of ",
  AsyncFunctionPointer: "async function pointer to ",
  CoroFunctionPointer: "coro function pointer to ",
  DefaultOverride: "default override of ",
  HasSymbolQuery: "#_hasSymbol query for ",
  BackDeploymentFallback: "back deployment fallback for ",
  LabelList: "",
  AssociatedType: "",
  OpaqueReturnTypeIndex: "",
};

/** Printed alone, except where thunks are shortened. */
export const aloneInFull: Readonly<Record<string, string>> = {
  MergedFunction: "merged ",
  DistributedThunk: "distributed thunk ",
  DistributedAccessor: "distributed accessor for ",
  AccessibleFunctionRecord: "accessible function runtime record for ",
  DynamicallyReplaceableFunctionKey: "dynamically replaceable key for ",
  DynamicallyReplaceableFunctionImpl: "dynamically replaceable thunk for ",
  DynamicallyReplaceableFunctionVar: "dynamically replaceable variable for ",
  BackDeploymentThunk: "back deployment thunk for ",
};

/** Text around the node's own text or number, which `#` stands for. */
export const around: Readonly<Record<string, string>> = {
  Identifier: "#",
  Index: "#",
  Number: "#",
  Integer: "#",
  NegativeInteger: "#",
  ClangType: "#",
  BuiltinTypeName: "#",
  MetatypeRepresentation: "#",
  SpecializationPassID: "#",
  ImplConvention: "#",
  ImplFunctionAttribute: "#",
  ImplCoroutineKind: "@#",
  ImplParameterResultDifferentiability: "# ",
  ImplParameterSending: "# ",
  ImplParameterIsolated: "# ",
  ImplParameterImplicitLeading: "# ",
  TupleElementName: "#: ",
  InfixOperator: "# infix",
  PrefixOperator: "# prefix",
  PostfixOperator: "# postfix",
  DroppedArgument: "param#-removed",
  OutlinedBridgedMethod: "outlined bridged method (#) of ",
  OutlinedVariable: "outlined variable ## of ",
  OutlinedReadOnlyObject: "outlined read-only object ## of ",
};

/** Text with children: a digit stands for the child of that index. */
export const patterns: Readonly<Record<string, string>> = {
  LazyProtocolWitnessTableAccessor:
    "lazy protocol witness table accessor for type 0 and conformance 1",
  LazyProtocolWitnessTableCacheVariable:
    "lazy protocol witness table cache variable for type 0 and conformance 1",
  VTableThunk: "vtable thunk for 1 dispatching to 0",
  ProtocolWitness: "protocol witness for 1 in conformance 0",
  FieldOffset: "0field offset for 1",
  ReabstractionThunkHelperWithGlobalActor: "0 with global actor constraint 1",
  AssociatedConformanceDescriptor: "associated conformance descriptor for 0.1: 2",
  DefaultAssociatedConformanceAccessor: "default associated conformance accessor for 0.1: 2",
  AssociatedTypeMetadataAccessor: "associated type metadata accessor for 1 in 0",
  BaseConformanceDescriptor: "base conformance descriptor for 0: 1",
  AssociatedTypeWitnessTableAccessor: "associated type witness table accessor for 1 : 2 in 0",
  BaseWitnessTableAccessor: "base witness table accessor for 1 in 0",
  ConstrainedExistential: "any 0<1>",
  BuiltinFixedArray: "Builtin.FixedArray<0, 1>",
  AssociatedTypeRef: "0.1",
  OpaqueType: "0.1",
  DependentMemberType: "0.1",
  DependentGenericConformanceRequirement: "0: 1",
  DependentGenericSameTypeRequirement: "0 == 1",
  DependentGenericSameShapeRequirement: "0.shape == 1.shape",
  DependentProtocolConformanceOpaque: "opaque result conformance 0 of 1",
  SugaredArray: "[0]",
  SugaredInlineArray: "[0 of 1]",
  SugaredDictionary: "[0 : 1]",
  SugaredParen: "(0)",
  RetroactiveConformance: "retroactive @ 01",
  RelatedEntityDeclName: "related decl '0' for 1",
  GlobalActorFunctionType: "@0 ",
  TypedThrowsAnnotation: " throws(0)",
};

/** Text between children, and around them. */
export const lists: Readonly<Record<string, readonly [string, string, string]>> = {
  Tuple: ["(", ", ", ")"],
  Pack: ["Pack{", ", ", "}"],
  SILPackDirect: ["@direct Pack{", ", ", "}"],
  SILPackIndirect: ["@indirect Pack{", ", ", "}"],
  ReturnType: ["", "", ""],
  ConstrainedExistentialRequirementList: ["", ", ", ""],
  ImplErrorResult: ["@error ", " ", ""],
  ImplYield: ["@yields ", " ", ""],
  AssocTypePath: ["", ".", ""],
  OpaqueReturnTypeOf: ["<<opaque return type of ", "", ">>"],
};

/** The names of accessors, after their variable's. */
export const accessorNames: Readonly<Record<string, string>> = {
  OwningAddressor: "owningAddressor",
  OwningMutableAddressor: "owningMutableAddressor",
  NativeOwningAddressor: "nativeOwningAddressor",
  NativeOwningMutableAddressor: "nativeOwningMutableAddressor",
  NativePinningAddressor: "nativePinningAddressor",
  NativePinningMutableAddressor: "nativePinningMutableAddressor",
  UnsafeAddressor: "unsafeAddressor",
  UnsafeMutableAddressor: "unsafeMutableAddressor",
  GlobalGetter: "getter",
  Getter: "getter",
  Setter: "setter",
  MaterializeForSet: "materializeForSet",
  WillSet: "willset",
  DidSet: "didset",
  ReadAccessor: "read",
  Read2Accessor: "read2",
  ModifyAccessor: "modify",
  Modify2Accessor: "modify2",
  InitAccessor: "init",
  BorrowAccessor: "borrow",
  MutateAccessor: "mutate",
};

/** The specializations, as they are called. */
export const specializationNames: Readonly<Record<string, string>> = {
  FunctionSignatureSpecialization: "function signature specialization",
  GenericPartialSpecialization: "generic partial specialization",
  GenericPartialSpecializationNotReAbstracted: "generic not-reabstracted partial specialization",
  GenericSpecialization: "generic specialization",
  GenericSpecializationInResilienceDomain: "generic specialization",
  GenericSpecializationPrespecialized: "generic pre-specialization",
  GenericSpecializationNotReAbstracted: "generic not re-abstracted specialization",
  InlinedGenericFunction: "inlined generic function",
};

/** What a parameter was specialized by, where that is no flag. */
export const specializedNames: readonly string[] = [
  "Constant Propagated Function",
  "Constant Propagated Global",
  "Constant Propagated Integer",
  "Constant Propagated Float",
  "Constant Propagated String",
  "Closure Propagated",
  "Value Promoted from Box",
  "Stack Promoted from Box",
  "InOut Converted to Out",
  "Constant Propagated KeyPath",
  "Constant Propagated Struct",
  "Same As Argument",
];

/** Layouts of requirements. */
export const layoutNames: Readonly<Record<string, string>> = {
  U: "_UnknownLayout",
  R: "_RefCountedObject",
  N: "_NativeRefCountedObject",
  C: "AnyObject",
  D: "_NativeClass",
  T: "_Trivial",
  E: "_Trivial",
  e: "_Trivial",
  M: "_TrivialAtMost",
  m: "_TrivialAtMost",
  B: "_BridgeObject",
  S: "_TrivialStride",
};

/** Types that need no parentheses before a suffix. */
export const simpleTypes: ReadonlySet<string> = new Set(
  `AssociatedType AssociatedTypeRef BoundGenericClass BoundGenericEnum BoundGenericStructure
  BoundGenericProtocol BoundGenericOtherNominalType BoundGenericTypeAlias BoundGenericFunction
  BuiltinTypeName BuiltinTupleType BuiltinFixedArray Class DependentGenericType
  DependentMemberType DependentGenericParamType DynamicSelf Enum ErrorType ExistentialMetatype
  Metatype MetatypeRepresentation Module Tuple Pack SILPackDirect SILPackIndirect
  ConstrainedExistentialRequirementList ConstrainedExistentialSelf Protocol ReturnType SILBoxType
  SILBoxTypeWithLayout Structure OtherNominalType TupleElementName TypeAlias TypeList LabelList
  SugaredOptional SugaredArray SugaredInlineArray SugaredDictionary SugaredParen Integer
  NegativeInteger`.split(/\s+/),
);
