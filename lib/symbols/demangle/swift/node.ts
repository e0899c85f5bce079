/** The tree that a mangled Swift name stands for. Kinds have the names that Swift's own demangler
 * gives them (include/swift/Demangling/DemangleNodes.def), so that its documents can be read
 * beside this. */

/** A node of the tree. Substitutions make it a graph without cycles: a node can be in several
 * places. */
export interface Node {
  /** What it is. */
  readonly kind: string;
  /** Of identifiers, modules and the like; otherwise `null`. */
  readonly text: string | null;
  /** Of numbers; otherwise `null`. */
  readonly index: number | null;
  /** In the order of the printed text, mostly. */
  readonly children: Node[];
}

/** Thrown, and caught at the entrance, where a name is not as the grammar has it. */
export const damaged: unique symbol = Symbol("damaged");

/** Gives up on the name. */
export function fail(): never {
  throw damaged;
}

/** `value`, which must be there. */
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

/** What other declarations can be in. */
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

/** What can be a declaration's name. */
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

/** What is mangled after a symbol and said before it. */
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

/** Conformances, however they are known. */
export const conformances: ReadonlySet<string> = words(`
  ConcreteProtocolConformance PackProtocolConformance DependentProtocolConformanceRoot
  DependentProtocolConformanceInherited DependentProtocolConformanceAssociated
  DependentProtocolConformanceOpaque`);

/** Conformances that follow from a generic signature. */
export const dependentConformances: ReadonlySet<string> = words(`
  DependentProtocolConformanceRoot DependentProtocolConformanceInherited
  DependentProtocolConformanceAssociated`);

/** Nominals with no generic arguments of their own. */
export const withoutArguments: ReadonlySet<string> = words(`
  Variable Subscript ImplicitClosure ExplicitClosure DefaultArgumentInitializer Initializer
  PropertyWrapperBackingInitializer PropertyWrappedFieldInitAccessor
  PropertyWrapperInitFromProjectedValue Static`);

/** A nominal's kind to its kind with arguments. */
export const boundKinds: Readonly<Record<string, string>> = {
  Class: "BoundGenericClass",
  Structure: "BoundGenericStructure",
  Enum: "BoundGenericEnum",
  Protocol: "BoundGenericProtocol",
  OtherNominalType: "BoundGenericOtherNominalType",
  TypeAlias: "BoundGenericTypeAlias",
};
