/** A wait for bytes is as long as it was asked to be, whatever signals come meanwhile. */
import { assert, assertEquals } from "@std/assert";
import { connectTo } from "../../ffi/socket.ts";

Deno.test(
  { name: "signals do not end a wait early", ignore: Deno.build.os === "windows" },
  async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const handler = () => {};
    Deno.addSignalListener("SIGWINCH", handler);
    const script = `while kill -WINCH ${Deno.pid}; do :; done`;
    const flood = new Deno.Command("sh", { args: ["-c", script], stderr: "null" }).spawn();
    try {
      using socket = await connectTo("127.0.0.1", listener.addr.port, 5000);
      const [nothing, input] = [new Uint8Array(0), new Uint8Array(16)];
      for (let turn = 0; turn < 5; turn++) {
        const began = performance.now();
        assertEquals(socket.transfer(nothing, input, 100), { written: 0, read: 0 });
        const lasted = performance.now() - began;
        assert(lasted >= 99, `${lasted} ms`);
      }
    } finally {
      flood.kill("SIGKILL");
      await flood.status;
      Deno.removeSignalListener("SIGWINCH", handler);
      listener.close();
    }
  },
);
