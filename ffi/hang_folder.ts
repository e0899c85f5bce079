/** {@linkcode Folder} over the system. */
import type { Folder } from "../lib/hang/mod.ts";
import { files } from "./files.ts";

/** Maximum size of a file that is read back. */
const MAX_SIZE = 64 << 20;

/** Opens a folder, and makes it where there is none. Files are their owner's alone. */
export function hangFolder(path: string): Folder {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    list: () =>
      [...Deno.readDirSync(path)].filter(({ isDirectory }) => isDirectory).map(({ name }) => ({
        name,
        files: [...Deno.readDirSync(`${path}/${name}`)].filter(({ isFile }) => isFile)
          .map((file) => ({
            name: file.name,
            size: Deno.lstatSync(`${path}/${name}/${file.name}`).size,
          })),
      })),
    read(name) {
      try {
        using file = files.open(`${path}/${name}`);
        if (file.size > MAX_SIZE) return null;
        return new TextDecoder().decode(file.read(0, file.size));
      } catch {
        return null;
      }
    },
    write(name, text) {
      Deno.mkdirSync(`${path}/${name.slice(0, name.lastIndexOf("/"))}`, {
        recursive: true,
        mode: 0o700,
      });
      using sink = files.create(`${path}/${name}`);
      sink.write(new TextEncoder().encode(text));
      sink.commit();
    },
    remove: (name) => Deno.removeSync(`${path}/${name}`, { recursive: true }),
  };
}
