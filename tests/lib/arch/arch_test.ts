import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  archOfCpuType,
  archs,
  readRegister,
  register,
  Registers,
  writeRegister,
} from "../../../lib/arch/mod.ts";

Deno.test("the thread states have the sizes of Apple's headers", () => {
  // <mach/i386/thread_status.h>, <mach/arm/thread_status.h>: _COUNT values, in 32-bit words.
  const counts = Object.fromEntries(
    Object.values(archs).map((arch) => [
      arch.name,
      [arch.threadState.size / 4, arch.exceptionState.size / 4],
    ]),
  );
  assertEquals(counts, { armv7: [17, 3], arm64: [68, 4], i386: [16, 3], x86_64: [42, 4] });
});

Deno.test("the registers of a state do not overlap and stay inside it", () => {
  for (const arch of Object.values(archs)) {
    for (const flavor of [arch.threadState, arch.exceptionState]) {
      let end = 0;
      for (const { name, offset, size } of flavor.registers) {
        assert(offset >= end, `${flavor.name} ${name} begins inside the one before`);
        assertEquals(offset % size, 0, `${flavor.name} ${name} is not aligned`);
        end = offset + size;
      }
      assert(end <= flavor.size, `${flavor.name} is too small`);
    }
  }
});

Deno.test("the registers with a role lie where Apple's structures have them", () => {
  const roles = Object.values(archs).map((arch) =>
    [arch.name, arch.pc, arch.sp, arch.fp, arch.lr].map((role) =>
      typeof role === "string" ? role : role && `${role.name}@${role.offset}`
    )
  );
  assertEquals(roles, [
    ["armv7", "pc@60", "sp@52", "r7@28", "lr@56"],
    ["arm64", "pc@256", "sp@248", "fp@232", "lr@240"],
    ["i386", "eip@40", "esp@28", "ebp@24", null],
    ["x86_64", "rip@128", "rsp@56", "rbp@48", null],
  ]);
});

Deno.test("registers are read and written in place", () => {
  const { threadState } = archs.arm64;
  const state = new Uint8Array(threadState.size);
  threadState.registers.forEach((field, index) =>
    writeRegister(state, field, 0x1_2345_6789_0000n + BigInt(index))
  );
  const registers = Registers.fromState(archs.arm64, state);
  assertEquals(registers.get("x0"), 0x1_2345_6789_0000n);
  assertEquals(registers.get("pc"), 0x1_2345_6789_0020n);
  assertEquals(registers.get("cpsr"), 0x6789_0021n); // cut to its size
  assertEquals(registers.get("rip"), undefined);
  assertEquals(registers.size, 34);
  assertEquals(readRegister(state, register(threadState, "sp")), 0x1_2345_6789_001fn);
  assertThrows(() => register(threadState, "eax"), RangeError);
  assertThrows(() => Registers.fromState(archs.arm64, state.subarray(8)), RangeError);
});

Deno.test("an architecture is found by its CPU type", () => {
  assertEquals(archOfCpuType(0x0100000c)?.name, "arm64");
  assertEquals(archOfCpuType(18), undefined); // CPU_TYPE_POWERPC
});
