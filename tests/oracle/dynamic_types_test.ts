/** The classes of C++ objects, as LLDB's `frame variable -d run-target` shows them of the same core. */
import { assert, assertEquals } from "@std/assert";
import { launch, openCore } from "../../mod.ts";
import { canLaunch } from "../machine.ts";
import { run } from "./run.ts";

const source = `
extern "C" int pause(void);
namespace geo {
struct Shape { int id = 1; virtual double area() { return 0; } };
struct Named { long name = 7; virtual const char *call() { return "n"; } };
struct Circle : Shape { double radius = 2.5; double area() override { return radius; } };
struct Square : Named, Shape { float side = 4; double area() override { return side; } };
template <class T> struct Boxed : virtual Shape {
  T value;
  Boxed(T v) : value(v) {}
  double area() override { return value; }
};
}
using namespace geo;
__attribute__((noinline)) double look(Shape *circle, Shape *square, Shape &boxed, Shape *plain, Named *named) {
  pause();
  return circle->area() + square->area() + boxed.area() + plain->id + named->name;
}
int main() {
  Circle c; Square s; Boxed<unsigned long> b(9); Shape p;
  return (int)look(&c, &s, b, &p, &s);
}
`;

Deno.test({
  name: "pointers and references to C++ classes lead to what LLDB's dynamic types say",
  ignore: Deno.build.os !== "linux" || Deno.build.arch !== "x86_64" || !canLaunch,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/x.cpp`, source);
      const flags = ["-target", "x86_64-apple-macos11", "-g", "-fno-rtti", "-fno-exceptions"];
      await run("clang-19", [...flags, "-c", "x.cpp"], folder);
      await run("ld64.lld-19", ["-arch", "x86_64", "-platform_version", "macos", ...[
        "11.0",
        "11.0",
        "-o",
        "x",
        "x.o",
      ], new URL("../fixtures/sdk/libSystem.tbd", import.meta.url).pathname], folder);
      await run("dsymutil-19", ["x"], folder);
      {
        using live = await launch(`${folder}/x`, [], { output: "null" });
        const isThere = () =>
          live.threads[0].backtrace().some(({ function: name }) => name?.includes("look"));
        for (let tries = 0; !isThere(); tries++) {
          assert(tries < 1000, "it does not get there");
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await live.saveCore(`${folder}/x.core`, { style: "full" });
        live.kill();
      }
      using core = openCore(`${folder}/x.core`);
      const frames = core.threads[0].backtrace();
      const index = frames.findIndex(({ function: name }) => name?.includes("look"));
      const names = ["circle", "square", "boxed", "plain", "named"];
      const text = await run("lldb-19", [
        "-x",
        "-b",
        "-o",
        "target create x --core x.core",
        ...["-o", "target symbols add x.dSYM/Contents/Resources/DWARF/x"],
        ...["-o", `frame select ${index}`],
        ...["-o", `frame variable -d run-target ${names.join(" ")}`],
      ], folder);
      const theirs = [...text.matchAll(/^\((.*)\) (\w+) = 0x([0-9a-f]+)/gm)].map((
        match,
      ) => [match[2], match[1], BigInt(`0x${match[3]}`)]);
      assertEquals(theirs.length, names.length, text);
      const ours = theirs.map(([name]) => {
        const variable = frames[index].variables.find((variable) => variable.name === name)!;
        const { type, integer } = variable.dynamic ?? variable;
        return [name, type.name, integer];
      });
      assertEquals(ours, theirs);
      assertEquals(ours.map(([, type]) => type), [
        ...["geo::Circle *", "geo::Square *", "geo::Boxed<unsigned long> &", "geo::Shape *"],
        "geo::Square *",
      ]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
