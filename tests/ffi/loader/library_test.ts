/** The loader inside another program: a Mach-O dylib loaded into this very process. */

import { assert, assertEquals } from "@std/assert";
import { compileLibrary, fixtures } from "./loader.ts";
import { hasLoader, ownBuild, testPrograms } from "../../machine.ts";

Deno.test({
  name: "a Mach-O dylib is loaded into this process, its imports answered by a callback",
  ignore: !hasLoader,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const path = `${testPrograms ?? directory}/libloader.so`;
      if (testPrograms === undefined) await compileLibrary(path);
      const library = Deno.dlopen(path, {
        loader_open: { parameters: ["buffer", "function"], result: "pointer" },
        loader_symbol: { parameters: ["pointer", "buffer"], result: "pointer" },
        loader_error: { parameters: [], result: "pointer" },
      });
      const { loader_open, loader_symbol, loader_error } = library.symbols;
      const text = (value: string) => new TextEncoder().encode(`${value}\0`);
      const error = () => new Deno.UnsafePointerView(loader_error()!).getCString();
      const asked: string[] = [];
      const resolve = new Deno.UnsafeCallback(
        { parameters: ["pointer"], result: "pointer" } as const,
        (name) => {
          asked.push(new Deno.UnsafePointerView(name!).getCString());
          return null;
        },
      );

      assertEquals(loader_open(text(`${directory}/none`), resolve.pointer), null);
      assert(error().startsWith(`${directory}/none: `), error());

      const dylib = text(`${fixtures}${ownBuild}/libworkers.dylib`);
      const image = loader_open(dylib, resolve.pointer);
      assert(image !== null, error());
      assertEquals(asked.includes("pthread_mutex_lock"), true);
      assertEquals(loader_open(dylib, null), image, "the same image, once");
      assertEquals(loader_symbol(image, text("no_such_symbol")), null);
      const initialised = loader_symbol(image, text("workers_initialised"));
      const pointer = initialised as Deno.PointerObject<{ parameters: []; result: "u32" }>;
      const call = new Deno.UnsafeFnPointer(pointer, { parameters: [], result: "u32" });
      assertEquals(call.call(), 2);
      resolve.close();
      library.close();
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
