/** Writes JsonSlabs files, as the Firefox Profiler saves its profiles. */

/** JSON as JsonSlabs: columns of numbers of the tables and threads are slabs, and a part of it is JSON apart. */
export function jsonSlabs(root: unknown): Uint8Array {
  const slabs: { readonly type: number; readonly bytes: Uint8Array }[] = [];
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const put = (type: number, bytes: Uint8Array) => ({ $s: slabs.push({ type, bytes }) - 1 });
  const split = (value: unknown, key: string): unknown => {
    if (Array.isArray(value) && key !== "data" && value.length > 0) {
      if (value.every(Number.isInteger) && !value.some((number) => Math.abs(number) >= 2 ** 31)) {
        return put(4, new Uint8Array(Int32Array.from(value).buffer));
      }
      if (value.every((item) => typeof item === "number")) {
        return put(7, new Uint8Array(Float64Array.from(value).buffer));
      }
      return value.map((item) => split(item, ""));
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [name, split(member, name)]);
    const copy = Object.fromEntries(members);
    return key === "stackTable" ? put(10, json(copy)) : copy;
  };
  const rootSlab = put(10, json(split(root, "")));
  const head = 20 + 12 * slabs.length;
  let size = Math.ceil(head / 8) * 8;
  const starts = slabs.map(({ bytes }) => {
    const start = size;
    size = Math.ceil((size + bytes.length) / 8) * 8;
    return start;
  });
  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  file.set([0xdc, 0xdf, 0x4a, 0x53, 0x4c, 0x42, 1, 0]);
  [1, slabs.length, rootSlab.$s].forEach((value, at) => view.setUint32(8 + 4 * at, value, true));
  slabs.forEach(({ type, bytes }, index) => {
    [type, starts[index], bytes.length].forEach((value, at) =>
      view.setUint32(20 + 12 * index + 4 * at, value, true)
    );
    file.set(bytes, starts[index]);
  });
  return file;
}
