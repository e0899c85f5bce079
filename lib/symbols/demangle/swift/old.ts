/** Swift's mangling before Swift 4 (`_T`, docs/ABI/OldMangling.rst), which Objective-C class names
 * still use (`_TtC…`). It is prefix notation, read by recursive descent. Types and entities are in
 * other files. */

import { demangleOldContext, demangleOldEntity, oldDeclName } from "./old_entities.ts";
import { fail, need, type Node } from "./node.ts";
import { OldState } from "./old_state.ts";
import { oldSpecialization } from "./old_specializations.ts";
import { demangleOldType, oldProtocol, oldSignature } from "./old_types.ts";
import { valueWitnesses } from "./tables.ts";

/** Attributes of the whole symbol. */
const attributes: Readonly<Record<string, string>> = {
  To: "ObjCAttribute",
  TO: "NonObjCAttribute",
  TD: "DynamicAttribute",
  Td: "DirectMethodReferenceAttribute",
  TV: "VTableAttribute",
};

/** The tree of a name.
 *
 * @param name including `_T`
 * @throws `damaged`
 */
export function demangleOldTree(name: string): Node {
  const s = new OldState(name);
  if (!s.accept("_T")) fail();
  const top = s.node("Global");
  if (s.accept("TS")) {
    do {
      top.children.push(oldSpecialization(s));
      s.substitutions.length = 0;
    } while (s.accept("_TTS"));
    if (!s.accept("_T")) fail();
  } else {
    for (const [letters, kind] of Object.entries(attributes)) {
      if (!s.accept(letters)) continue;
      top.children.push(s.node(kind));
      break;
    }
  }
  top.children.push(global(s));
  if (!s.ended) top.children.push(s.leaf("Suffix", s.rest()));
  return top;
}

type Read = (s: OldState) => Node;

/** Letters, the kind of node, and the parts that follow. */
type Productions = readonly (readonly [letters: string, kind: string, ...parts: Read[]])[];

function conformance(s: OldState): Node {
  const type = demangleOldType(s);
  const protocol = oldProtocol(s);
  return s.node("ProtocolConformance", type, protocol, demangleOldContext(s));
}

function directness(s: OldState): Node {
  return s.leaf("Directness", s.accept("d") ? 0 : s.accept("i") ? 1 : fail());
}

function witnessName(s: OldState): Node {
  return s.leaf("Identifier", need(valueWitnesses[s.next() + s.next()]));
}

const type: Read = demangleOldType;

const productions: Productions = [
  ["MP", "GenericTypeMetadataPattern", type],
  ["Ma", "TypeMetadataAccessFunction", type],
  ["ML", "TypeMetadataLazyCache", type],
  ["Mm", "Metaclass", type],
  ["Mn", "NominalTypeDescriptor", type],
  ["Mf", "FullTypeMetadata", type],
  ["Mp", "ProtocolDescriptor", oldProtocol],
  ["M", "TypeMetadata", type],
  ["t", "TypeMangling", type],
  ["w", "ValueWitness", witnessName, type],
  ["WV", "ValueWitnessTable", type],
  ["Wv", "FieldOffset", directness, demangleOldEntity],
  ["WP", "ProtocolWitnessTable", conformance],
  ["WG", "GenericProtocolWitnessTable", conformance],
  ["WI", "GenericProtocolWitnessTableInstantiationFunction", conformance],
  ["Wl", "LazyProtocolWitnessTableAccessor", type, conformance],
  ["WL", "LazyProtocolWitnessTableCacheVariable", type, conformance],
  ["Wa", "ProtocolWitnessTableAccessor", conformance],
  ["Wt", "AssociatedTypeMetadataAccessor", conformance, oldDeclName],
  ["WT", "AssociatedTypeWitnessTableAccessor", conformance, oldDeclName, oldProtocol],
  ["TW", "ProtocolWitness", conformance, demangleOldEntity],
];

/** Thunks between representations, which can be generic. */
const reabstractions: Productions = [
  ["TR", "ReabstractionThunkHelper"],
  ["Tr", "ReabstractionThunk"],
];

function global(s: OldState): Node {
  if (s.accept("PA")) {
    const kind = s.accept("o") ? "PartialApplyObjCForwarder" : "PartialApplyForwarder";
    return s.accept("__T") ? s.node(kind, s.nested(global)) : s.node(kind);
  }
  for (const [letters, kind] of reabstractions) {
    if (!s.accept(letters)) continue;
    const signature = s.accept("G") ? [oldSignature(s)] : [];
    const from = demangleOldType(s);
    return s.node(kind, ...signature, from, demangleOldType(s));
  }
  for (const [letters, kind, ...parts] of productions) {
    if (s.accept(letters)) return s.node(kind, ...parts.map((read) => read(s)));
  }
  return demangleOldEntity(s);
}

export { conformance as oldConformance };
