"""Writes a Swift program of random types and values: structs, enums of every kind, tuples, generics, classes and
existentials in each other. The program prints of each variable what Mirror says of its value, and what the value
witness table of its type says of its layout; then it stops.

usage: values.py SEED TYPES [VARIABLES OF A FUNCTION]
"""
import random
import sys

seed = int(sys.argv[1])
n = int(sys.argv[2])
random.seed(seed)
scal=["Int","Int8","UInt16","Int32","Bool","Double","Float","String","UInt8","Character"]
def lit(t):
    if t in("Int",): return str(random.randint(-10**12,10**12))
    if t=="Int8": return str(random.randint(-128,127))
    if t=="UInt8": return str(random.randint(0,255))
    if t=="UInt16": return str(random.randint(0,65535))
    if t=="Int32": return str(random.randint(-2**31,2**31-1))
    if t=="Bool": return random.choice(["true","false"])
    if t in("Double","Float"): return str(random.randint(-1000,1000)/4)
    if t=="String": return '"%s"'%("x%d"%random.randint(0,99)*random.choice([0,1,3,9]))
    if t=="Character": return '"%s" as Character'%random.choice("abcxyz")
    raise 0
types={}  # name -> (kind, fields)
order=[]
def anyt(depth=0):
    r=random.random()
    if r<.42 or depth>2: return random.choice(scal)
    if r<.60 and order: return random.choice(order)
    if r<.70:
        u=anyt(depth+1)
        return ("(%s)?"%u if u.startswith("any ") else u+"?")
    if r<.76: return "["+anyt(depth+1)+"]"
    if r<.80: return "[String: "+anyt(depth+1)+"]"
    if r<.87: return "("+", ".join(("l%d: "%i if random.random()<.5 else "")+anyt(depth+1) for i in range(random.randint(2,3)))+")"
    if r<.90: return "Any"
    if r<.93: return "any Proto"
    if r<.95: return "Gen<"+anyt(depth+1)+">"
    if r<.97: return "GenE<"+anyt(depth+1)+", "+anyt(depth+1)+">"
    if r<.985: return "GenC<"+anyt(depth+1)+">"
    return random.choice(["Base","Derived","AnyObject","any Cls"])
def split(s):
    parts=[];d=0;cur=""
    for ch in s:
        if ch in"([<": d+=1
        if ch in")]>": d-=1
        if ch=="," and d==0: parts.append(cur.strip());cur="";continue
        cur+=ch
    parts.append(cur.strip()); return parts
def val(t,depth=0):
    t=t.strip()
    if t in scal: return lit(t)
    if t.endswith("?"):
        if random.random()<.4 or depth>5: return "nil as (%s)"%t
        return "Optional.some(%s) as (%s)"%(val(t[:-1],depth+1),t)
    if t.startswith("[String: "):
        return "[%s] as %s"%(', '.join('"k%d": %s'%(i,val(t[9:-1],depth+1)) for i in range(random.randint(0,2) if depth<4 else 0)) or ":",t)
    if t.startswith("["):
        return "[%s] as %s"%(', '.join(val(t[1:-1],depth+1) for i in range(random.randint(0,2) if depth<4 else 0)),t)
    if t.startswith("("):
        ps=split(t[1:-1]); o=[]
        if len(ps)==1: return val(ps[0],depth)
        for p in ps:
            if len(p)>2 and p[0]=="l" and p[1].isdigit() and p[2]==":": o.append(p[:3]+" "+val(p[3:].strip(),depth+1))
            else: o.append(val(p,depth+1))
        return "("+", ".join(o)+")"
    if t=="Any":
        u=anyt(2) if depth<4 else "Int"
        return "(%s) as Any"%val(u,depth+1)
    if t=="any Proto": return random.choice(['PA(a: %s)'%lit("Int"),'PB(a: %s, b: %s, c: %s, d: %s)'%(lit("Int"),lit("String"),lit("String"),lit("Double"))])+" as any Proto"
    if t=="any Cls": return "Derived() as any Cls"
    if t=="AnyObject": return "Derived() as AnyObject"
    if t in("Base","Derived"): return random.choice(["Base()","Derived()"]) if t=="Base" else "Derived()"
    if t.startswith("Gen<"):
        a=t[4:-1]; return "Gen<%s>(a: %s, n: %s, b: %s)"%(a,val(a,depth+1),lit("Int8"),val("("+a+")?",depth+1) if not a.endswith("?") else "nil")
    if t.startswith("GenC<"):
        a=t[5:-1]; return "GenC<%s>(%s)"%(a,val(a,depth+1))
    if t.startswith("GenE<"):
        a,b=split(t[5:-1]); c=random.choice(["l","r","z","both"])
        if c=="l": return "GenE<%s, %s>.left(%s)"%(a,b,val(a,depth+1))
        if c=="r": return "GenE<%s, %s>.right(%s)"%(a,b,val(b,depth+1))
        if c=="both": return "GenE<%s, %s>.both(%s, %s)"%(a,b,val(a,depth+1),val(b,depth+1))
        return "GenE<%s, %s>.none"%(a,b)
    kind,fs=types[t]
    if kind=="struct": return "%s(%s)"%(t,", ".join("f%d: %s"%(i,val(f,depth+1)) for i,f in enumerate(fs)))
    cs=[i for i,(p,ind) in enumerate(fs) if p is None or depth<6] or list(range(len(fs)))
    i=random.choice(cs); p,ind=fs[i]
    if p is None: return "%s.c%d"%(t,i)
    return "%s.c%d(%s)"%(t,i,", ".join(val(x,depth+1) for x in p))
print('''
protocol Proto { var a: Int { get } }
protocol Cls: AnyObject {}
struct PA: Proto { var a: Int }
struct PB: Proto { var a: Int; var b: String; var c: String; var d: Double }
class Base { var id: Int8 = 7; var label = "base" }
class Derived: Base, Cls { var extra: Int16? = nil; var point = (1.5, "q") }
struct Gen<T> { var a: T; var n: Int8; var b: T? }
class GenB<T> { var first: T; init(_ f: T) { first = f } }
class GenC<T>: GenB<[T]> { var one: T; var opt: T?; init(_ v: T) { one = v; opt = v; super.init([v]) } }
enum GenE<A, B> { case left(A), right(B), both(A, B), none }
indirect enum Tree { case node(Tree, Int, Tree), leaf }
enum Failure: Error { case bad(Int), worse(String, Double), none }
''')
body=[]
for k in range(n):
    name="T%d"%k
    if random.random()<.35:
        fs=[anyt() for _ in range(random.randint(0,4))]
        types[name]=("struct",fs)
        print("struct %s { %s }"%(name,"; ".join("var f%d: %s"%(i,f) for i,f in enumerate(fs))))
    else:
        fs=[]
        r=random.random()
        nc=random.choice([1,2,3,4,5,6,9]) if r<.97 else 300
        for i in range(nc):
            q=random.random()
            if q<.4 or nc==300: fs.append((None,False))
            elif q<.48: fs.append(([anyt(1)],True))
            else: fs.append(([anyt(1) for _ in range(random.choice([1,1,1,2]))],False))
        types[name]=("enum",fs)
        print("enum %s { %s }"%(name,"; ".join(("indirect " if ind else "")+"case c%d"%i+("" if p is None else "("+", ".join(p)+")") for i,(p,ind) in enumerate(fs))))
    order.append(name)
print('''
func esc(_ s: String) -> String { return "\\"" + s + "\\"" }
/// What Mirror says of a value, as one line.
func say(_ v: Any, _ depth: Int = 0) -> String {
  if depth > 12 { return "deep" }
  switch v {
  case let x as Int where type(of: v) == Int.self: return "\\(x)"
  case let x as Int8 where type(of: v) == Int8.self: return "\\(x)"
  case let x as UInt8 where type(of: v) == UInt8.self: return "\\(x)"
  case let x as Int16 where type(of: v) == Int16.self: return "\\(x)"
  case let x as UInt16 where type(of: v) == UInt16.self: return "\\(x)"
  case let x as Int32 where type(of: v) == Int32.self: return "\\(x)"
  case let x as Bool where type(of: v) == Bool.self: return "\\(x)"
  case let x as Double where type(of: v) == Double.self: return "\\(x)"
  case let x as Float where type(of: v) == Float.self: return "\\(x)"
  case let x as String where type(of: v) == String.self: return esc(x)
  case let x as Substring where type(of: v) == Substring.self: return esc(String(x))
  case let x as Character where type(of: v) == Character.self: return esc(String(x))
  default: break
  }
  let m = Mirror(reflecting: v)
  switch m.displayStyle {
  case .optional:
    if let c = m.children.first { return say(c.value, depth) }
    return "nil"
  case .set: return "[" + m.children.map { say($0.value, depth + 1) }.sorted().joined(separator: ", ") + "]"
  case .collection: return "[" + m.children.map { say($0.value, depth + 1) }.joined(separator: ", ") + "]"
  case .dictionary: return "[" + m.children.map { e in
      let p = Array(Mirror(reflecting: e.value).children); return say(p[0].value, depth + 1) + ": " + say(p[1].value, depth + 1) }.sorted().joined(separator: ", ") + "]"
  case .enum:
    if let c = m.children.first { return (c.label ?? "?") + "(" + say(c.value, depth + 1) + ")" }
    return "\\(v)"
  default:
    var parts: [String] = []
    var s = m.superclassMirror; var up: [Mirror] = []
    while let q = s { up.append(q); s = q.superclassMirror }
    for q in up.reversed() { for c in q.children { parts.append((c.label ?? "?") + "=" + say(c.value, depth + 1)) } }
    for c in m.children { parts.append((c.label ?? "?").replacingDot() + "=" + say(c.value, depth + 1)) }
    return "{" + parts.joined(separator: ", ") + "}"
  }
}
extension String { func replacingDot() -> String { return hasPrefix(".") ? String(dropFirst()) : self } }
func layout<T>(_ t: T.Type) -> String {
  let m = unsafeBitCast(t as Any.Type, to: UnsafePointer<UnsafePointer<UInt>>.self)
  let w = m[-1]
  return "\\(w[8]) \\(w[9]) \\((w[10] & 0xff) + 1) \\(w[10] >> 32)"
}
''')
# values
vals=[]
for t in order:
    for _ in range(3): vals.append((t,val(t)))
for _ in range(n): 
    t=anyt(); vals.append((t,val(t)))
for t,v in [
    ("Tree",".node(.leaf, 3, .node(.leaf, 4, .leaf))"),("Tree",".leaf"),
    ("any Error","Failure.worse(\"w\", 2.5)"),("any Error","Failure.bad(7)"),("(any Error)?","nil"),
    ("Result<Int, Failure>",".success(4)"),("Result<Int, Failure>",".failure(.worse(\"x\", 1.5))"),
    ("Set<Int>","[5, 6]"),("Set<String>","[\"a\"]"),("Range<Int>","1..<5"),("ClosedRange<UInt8>","2...9"),
    ("Substring","\"hello world, and more than fits into two words\".dropFirst(6)"),("Substring","\"small\".dropFirst(2)"),
    ("ArraySlice<Int16>","([1, 2, 3, 4] as [Int16])[1...2]"),("ContiguousArray<Bool>","[true, false]"),
    ("Base?","nil"),("Base?","Derived()"),("AnyObject","Derived()"),("[Base]","[Base(), Derived()]"),
    ("Any","(1, \"two\")"),("Any","Tree.leaf"),("any Proto","PA(a: 9)"),("[any Proto]","[PA(a: 1), PB(a: 2, b: \"b\", c: \"c\", d: 4.5)]"),
    ("String","String(repeating: \"wide é ü \", count: 3)"),("Int??","Int?.none"),("Bool??","true"),("Character","\"é\""),
    ("GenC<String>","GenC<String>(\"g\")"),("[String: [Int]]","[\"k\": [1, 2]]"),("Void","()"),
]: vals.append((t,v))
m=int(sys.argv[3]) if len(sys.argv)>3 else 40
groups=[vals[i:i+m] for i in range(0,len(vals),m)]
for g,group in enumerate(groups):
    print("@inline(never) func work%d(_ next: () -> Void) {"%g)
    for i,(t,v) in enumerate(group):
        print("  var v%d_%d: %s = %s"%(g,i,t,v))
    for i,(t,v) in enumerate(group):
        print('  print("value v%d_%d \\(say(v%d_%d as Any))")'%(g,i,g,i))
        print('  print("layout v%d_%d \\(layout((%s).self))")'%(g,i,t))
    print("  next()")
    for i,(t,v) in enumerate(group): print("  use(&v%d_%d)"%(g,i))
    print("}")
print("@inline(never) func use<T>(_ x: inout T) {}")
print("#if canImport(Glibc)\nimport Glibc\n#else\nimport Darwin\n#endif")
print("@inline(never) func stop() { print(\"stopped\"); fflush(stdout); while true { sleep(1000) } }")
e="{ stop() }"
for g in reversed(range(len(groups))): e="{ work%d(%s) }"%(g,e)
print("let all: () -> Void = %s\nall()"%e)
