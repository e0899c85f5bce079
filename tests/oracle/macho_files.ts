const magics = new Set([0xfeedface, 0xfeedfacf]);

/** The thin Mach-O files at and below a directory, whose path ends with a slash. */
export function* machOFiles(directory: string): Generator<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(directory)) {
    const path = `${directory}${name}`;
    if (isDirectory) yield* machOFiles(`${path}/`);
    if (!isFile) continue;
    using file = Deno.openSync(path);
    const magic = new Uint8Array(4);
    if (file.readSync(magic) !== 4) continue;
    if (magics.has(new DataView(magic.buffer).getUint32(0, true))) yield path;
  }
}

/** The thin Mach-O files of all fixtures, the demo's among them. */
export function* fixtureFiles(): Generator<string> {
  for (const folder of ["../fixtures/", "../../examples/"]) {
    yield* machOFiles(new URL(folder, import.meta.url).pathname);
  }
}
