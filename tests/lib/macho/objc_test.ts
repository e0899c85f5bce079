import { assertEquals, assertLess } from "@std/assert";
import { CPU_TYPE, Image } from "../../../lib/macho/mod.ts";
import { buildImage, FakeMemory } from "./build_image.ts";
import { processorTime } from "../../processor_time.ts";

/** Lays out Objective-C structures in `__DATA`, at offset 0x3000 of an image. */
class Data {
  readonly bytes = new Uint8Array(0x1000);
  readonly #view = new DataView(this.bytes.buffer);
  #next = 0x40;

  /** @param base the address that the image will have
   * @param code bits put on top of every pointer, as pointer authentication does */
  constructor(readonly base: bigint, readonly word: 4 | 8, readonly code = 0n) {}

  /** Reserves bytes; returns their address. */
  reserve(size: number): bigint {
    const at = this.#next;
    this.#next += Math.ceil(size / 8) * 8;
    return this.base + 0x3000n + BigInt(at);
  }

  string(text: string): bigint {
    const address = this.reserve(text.length + 1);
    this.bytes.set(new TextEncoder().encode(text), this.at(address));
    return address;
  }

  at(address: bigint): number {
    return Number(address - this.base) - 0x3000;
  }

  u32(address: bigint, value: number): void {
    this.#view.setUint32(this.at(address), value, true);
  }

  pointer(address: bigint, value: bigint): void {
    const coded = value === 0n ? 0n : value | this.code;
    if (this.word === 8) this.#view.setBigUint64(this.at(address), coded, true);
    else this.u32(address, Number(value));
  }

  words(address: bigint, ...values: bigint[]): bigint {
    values.forEach((value, index) => this.pointer(address + BigInt(index * this.word), value));
    return address;
  }

  /** A `method_list_t` with three words an entry. */
  methods(...methods: [string, bigint][]): bigint {
    const list = this.reserve(8 + methods.length * 3 * this.word);
    this.u32(list, 3 * this.word | 3);
    this.u32(list + 4n, methods.length);
    methods.forEach(([selector, implementation], index) => {
      const entry = list + 8n + BigInt(index * 3 * this.word);
      this.words(entry, this.string(selector), this.string("v"), implementation);
    });
    return list;
  }

  /** A `method_list_t` with three relative offsets an entry. */
  smallMethods(...methods: [string, bigint][]): bigint {
    const list = this.reserve(8 + methods.length * 12);
    this.u32(list, (0x80000000 | 12) >>> 0);
    this.u32(list + 4n, methods.length);
    methods.forEach(([selector, implementation], index) => {
      const entry = list + 8n + BigInt(index * 12);
      const reference = this.words(this.reserve(this.word), this.string(selector));
      this.u32(entry, Number(reference - entry));
      this.u32(entry + 8n, Number(implementation - entry - 8n) >>> 0);
    });
    return list;
  }

  /** A `class_ro_t`. */
  readOnly(name: string, methods: bigint): bigint {
    const data = this.reserve(72);
    this.words(data + (this.word === 8 ? 16n : 12n), 0n, this.string(name), methods);
    return data;
  }

  /** A `class_t`. */
  class(isa: bigint, data: bigint): bigint {
    return this.words(this.reserve(5 * this.word), isa, 0n, 0n, 0n, data);
  }
}

function methodsOf(
  data: Data,
  classes: bigint[],
  categories: bigint[],
  options: { cpuType?: number; damage?: (data: Data) => void } = {},
): Image {
  data.words(data.base + 0x3000n, ...classes);
  data.words(data.base + 0x3020n, ...categories);
  options.damage?.(data);
  const section = (name: string, offset: number, size: number, bytes?: Uint8Array) => ({
    segment: "__DATA",
    name,
    offset,
    size,
    data: bytes,
  });
  const bytes = buildImage({
    is64: data.word === 8,
    cpuType: options.cpuType,
    sections: [
      { segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000 },
      section("__objc_classlist", 0x3000, classes.length * data.word, data.bytes),
      section("__objc_catlist", 0x3020, categories.length * data.word),
      section("__objc_const", 0x3040, 0xfc0),
    ],
  });
  return Image.fromMemory(new FakeMemory().map(data.base, bytes), data.base, "image");
}

function listed(image: Image): [string, number][] {
  return [...image.symbols].map(({ name, address }) => [name, image.toOffset(address)]);
}

for (const word of [8, 4] as const) {
  Deno.test(`methods of classes, metaclasses and categories, pointers of ${word} bytes`, () => {
    const base = word === 8 ? 0x1_2345_0000n : 0x12_0000n;
    const data = new Data(base, word);
    const at = (offset: number): bigint => base + BigInt(offset);
    const meta = data.class(0n, data.readOnly("Worker", data.methods(["make", at(0x1000)])));
    const worker = data.class(
      meta,
      data.readOnly("Worker", data.methods(["run:with:", at(0x1010)], ["tick", at(0x1020)])),
    );
    const category = data.words(
      data.reserve(6 * word),
      data.string("Extra"),
      worker,
      data.methods(["more", at(0x1030)]),
      data.methods(["less", at(0x1040)]),
    );
    const image = methodsOf(data, [worker], [category]);
    assertEquals(listed(image), [
      ["+[Worker make]", 0x1000],
      ["-[Worker run:with:]", 0x1010],
      ["-[Worker tick]", 0x1020],
      ["-[Worker(Extra) more]", 0x1030],
      ["+[Worker(Extra) less]", 0x1040],
    ]);
    assertEquals(image.warnings, []);
    assertEquals(image.symbolAt(at(0x1014))?.symbol?.name, "-[Worker run:with:]");
    assertEquals(image.findSymbols("-[Worker tick]").length, 1);
  });
}

Deno.test("classes that the runtime has realized, authenticated pointers, relative methods", () => {
  const base = 0x1_2345_0000n;
  const data = new Data(base, 8, 0x00aa_8000_0000_0000n);
  const realized = (readOnly: bigint): bigint => {
    const data_ = data.words(data.reserve(32), 0n, readOnly);
    data.u32(data_, 0x80000000);
    return data_;
  };
  const direct = data.readOnly("Direct", data.smallMethods(["go", base + 0x1000n]));
  const extended = data.readOnly("Extended", data.smallMethods(["stop", base + 0x1010n]));
  const extension = data.words(data.reserve(16), extended);
  // The low bits of a class's data pointer are flags, and of a class_rw_t's say where it leads.
  const classes = [
    data.class(0n, realized(direct) | 2n),
    data.class(0n, realized(extension | 1n)),
  ];
  const image = methodsOf(data, classes, [], { cpuType: CPU_TYPE.ARM64 });
  assertEquals(listed(image), [["-[Direct go]", 0x1000], ["-[Extended stop]", 0x1010]]);
  assertEquals(image.warnings, []);
});

Deno.test("a damaged class is left out alone; methods outside the image are ignored", () => {
  const base = 0x1_2345_0000n;
  const data = new Data(base, 8);
  const classOf = (name: string, implementation: bigint): bigint =>
    data.class(0n, data.readOnly(name, data.methods(["run", implementation])));
  const classes = [
    classOf("First", base + 0x1000n),
    0x6666_6666_6666n,
    classOf("Outside", base + 0x9000_0000n),
    classOf("Last", base + 0x1010n),
  ];
  const image = methodsOf(data, classes, []);
  assertEquals(listed(image), [["-[First run]", 0x1000], ["-[Last run]", 0x1010]]);
  assertEquals(image.warnings, ["1 Objective-C classes or categories cannot be read"]);
});

Deno.test("classes without number that share one long method list are bounded", () => {
  const base = 0x1_2345_0000n;
  const list = 0x7000_0000n;
  const data = new Data(base, 8);
  const worker = data.class(0n, data.readOnly("Worker", list));
  const entries = new Uint8Array(8 + 24 * 65536);
  new DataView(entries.buffer).setUint32(0, 24, true);
  new DataView(entries.buffer).setUint32(4, 65536, true);
  const classes = new Uint8Array(new BigUint64Array(0x2000 / 8).fill(worker).buffer);
  const bytes = buildImage({
    sections: [
      { segment: "__TEXT", name: "__objc_classlist", offset: 0x1000, size: 0x2000, data: classes },
      { segment: "__DATA", name: "__objc_const", offset: 0x3000, size: 0x1000, data: data.bytes },
    ],
  });
  const memory = new FakeMemory().map(list, entries).map(base, bytes);
  const image = Image.fromMemory(memory, base, "image");
  assertEquals(listed(image), []);
  assertEquals(image.warnings, ["too much Objective-C metadata: some is left out"]);
});

Deno.test("a method list that claims too much is left out", () => {
  const base = 0x1_2345_0000n;
  const data = new Data(base, 8);
  const methods = data.methods(["run", base + 0x1000n]);
  const worker = data.class(0n, data.readOnly("Worker", methods));
  const damage = () => data.u32(methods + 4n, 0xffffffff);
  const image = methodsOf(data, [worker], [], { damage });
  assertEquals(listed(image), []);
  assertEquals(image.warnings.length, 1);
});

Deno.test("131,072 classes that share one long name take as much memory as one", () => {
  const base = 0x1_2345_0000n;
  const data = new Data(base, 8);
  const name = "N".repeat(3800);
  const worker = data.class(0n, data.readOnly(name, 0n));
  const classes = new Uint8Array(new BigUint64Array(1 << 17).fill(worker).buffer);
  const bytes = buildImage({
    sections: [
      { segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000 },
      { segment: "__DATA", name: "__objc_const", offset: 0x3000, size: 0x1000, data: data.bytes },
      { segment: "__DATA", name: "__objc_classlist", offset: 0x10000, size: classes.length },
    ],
  });
  const memory = new FakeMemory().map(base + 0x10000n, classes).map(base, bytes);
  const image = Image.fromMemory(memory, base, "image");
  const [before, began] = [Deno.memoryUsage().heapUsed, processorTime()];
  assertEquals(listed(image), []);
  assertLess(processorTime() - began, 2000);
  assertLess(Deno.memoryUsage().heapUsed - before, 10 * classes.length + (64 << 20));
});
