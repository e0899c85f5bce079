/** The tree of a mangled Swift name. Kinds have the names of Swift's own demangler
 * (include/swift/Demangling/DemangleNodes.def), so that Swift's documents apply. */

/** A node of the tree. With substitutions the tree is a graph without cycles: a node can have
 * several parents. */
export interface Node {
  /** Its kind. */
  readonly kind: string;
  /** For identifiers, modules and similar nodes; otherwise `null`. */
  readonly text: string | null;
  /** For numbers; otherwise `null`. */
  readonly index: number | null;
  /** Mostly in the order of the printed text. */
  readonly children: Node[];
}

/** Thrown for a name that violates the grammar. The entrance catches it. */
export const damaged: unique symbol = Symbol("damaged");

/** Gives up on the name. */
export function fail(): never {
  throw damaged;
}

/** Returns `value`, which must exist. */
export function need<T>(value: T | null | undefined): T {
  return value ?? fail();
}

/** The first child of `kind`. */
export function childOf(node: Node, kind: string): Node | null {
  for (const child of node.children) if (child.kind === kind) return child;
  return null;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Kinds that can contain other declarations. */
export const contexts: ReadonlySet<string> = words(`
  Allocator AnonymousContext AutoDiffFunction BorrowAccessor BuiltinTupleType Class Constructor
  Deallocator DefaultArgumentInitializer Destructor DidSet Enum ExplicitClosure Extension Function
  Getter GlobalGetter IVarDestroyer IVarInitializer ImplicitClosure InitAccessor Initializer
  IsolatedDeallocator MaterializeForSet Modify2Accessor ModifyAccessor Module MutateAccessor
  NativeOwningAddressor NativeOwningMutableAddressor NativePinningAddressor
  NativePinningMutableAddressor OpaqueReturnTypeOf OtherNominalType OwningAddressor
  OwningMutableAddressor PropertyWrappedFieldInitAccessor PropertyWrapperBackingInitializer
  PropertyWrapperInitFromProjectedValue Protocol Read2Accessor ReadAccessor Setter Static Structure
  Subscript TypeAlias UnsafeAddressor UnsafeMutableAddressor Variable WillSet`);

/** Kinds that can name a declaration. */
export const declNames: ReadonlySet<string> = words(`
  Identifier LocalDeclName PrivateDeclName RelatedEntityDeclName PrefixOperator PostfixOperator
  InfixOperator`);

/** Declarations that generic arguments can be bound to. */
export const nominals: ReadonlySet<string> = words(`
  Structure Class Enum Protocol OtherNominalType TypeAlias BuiltinTupleType`);

/** Requirements and markers of a generic signature. */
export const requirements: ReadonlySet<string> = words(`
  DependentGenericParamPackMarker DependentGenericParamValueMarker
  DependentGenericSameTypeRequirement DependentGenericSameShapeRequirement
  DependentGenericLayoutRequirement DependentGenericConformanceRequirement
  DependentGenericInverseConformanceRequirement`);

/** Attributes that are mangled after a symbol and printed before it. */
export const functionAttributes: ReadonlySet<string> = words(`
  FunctionSignatureSpecialization GenericSpecialization GenericSpecializationPrespecialized
  InlinedGenericFunction GenericSpecializationNotReAbstracted GenericPartialSpecialization
  GenericPartialSpecializationNotReAbstracted GenericSpecializationInResilienceDomain
  ObjCAttribute NonObjCAttribute DynamicAttribute DirectMethodReferenceAttribute VTableAttribute
  PartialApplyForwarder PartialApplyObjCForwarder OutlinedVariable OutlinedReadOnlyObject
  OutlinedBridgedMethod MergedFunction DistributedThunk DistributedAccessor
  DynamicallyReplaceableFunctionImpl DynamicallyReplaceableFunctionKey
  DynamicallyReplaceableFunctionVar AsyncFunctionPointer AsyncAwaitResumePartialFunction
  AsyncSuspendResumePartialFunction AccessibleFunctionRecord BackDeploymentThunk
  BackDeploymentFallback HasSymbolQuery CoroFunctionPointer DefaultOverride`);

/** All kinds of conformances. */
export const conformances: ReadonlySet<string> = words(`
  ConcreteProtocolConformance PackProtocolConformance DependentProtocolConformanceRoot
  DependentProtocolConformanceInherited DependentProtocolConformanceAssociated
  DependentProtocolConformanceOpaque`);

/** Conformances that follow from a generic signature. */
export const dependentConformances: ReadonlySet<string> = words(`
  DependentProtocolConformanceRoot DependentProtocolConformanceInherited
  DependentProtocolConformanceAssociated`);

/** Nominal types without generic arguments of their own. */
export const withoutArguments: ReadonlySet<string> = words(`
  Variable Subscript ImplicitClosure ExplicitClosure DefaultArgumentInitializer Initializer
  PropertyWrapperBackingInitializer PropertyWrappedFieldInitAccessor
  PropertyWrapperInitFromProjectedValue Static`);

/** The bound-generic kind of each nominal kind. */
export const boundKinds: Readonly<Record<string, string>> = {
  Class: "BoundGenericClass",
  Structure: "BoundGenericStructure",
  Enum: "BoundGenericEnum",
  Protocol: "BoundGenericProtocol",
  OtherNominalType: "BoundGenericOtherNominalType",
  TypeAlias: "BoundGenericTypeAlias",
};
