/** Reports that somebody wrote to do harm: undamaged, but with the names, lengths and counts that readers
 * least expect. */

/** Names that every object has, and control characters. */
const names = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "a\u202eb",
  "\x1b[2J",
];
const long = "long/".repeat(400);

/** A crash text. */
export function hostileCrash(): Uint8Array {
  const fields = names.map((name) => `${name}: ${name}`);
  const registers = names.slice(0, 5).map((name) => `${name}: 0x0000000000000001`).join(" ");
  return new TextEncoder().encode([
    "Incident Identifier: 5A4D6C60-CC5D-4F6B-8C3A-000000000001",
    "Process:         constructor [99999999999999999999]",
    `Path:            /${long}x`,
    ...fields,
    "Code Type:       toString",
    "OS Version:      __proto__",
    "",
    "Exception Type:  constructor (__proto__)",
    "Exception Subtype: toString",
    "Termination Reason: Namespace constructor, Code 0x8badf00d",
    "Triggered by Thread:  0",
    "",
    ...names.map((name) => `${name}:\nline of ${name}\n`),
    "Application Specific Information:",
    `${" ".repeat(2000)}x`,
    "",
    "Thread 0 name:  __proto__",
    "Thread 0 Crashed:",
    ...names.map((name, index) =>
      `${index}   ${name}  0x0000000100000${index}00 ${name} + ${index}`
    ),
    "",
    "Thread 0 crashed with constructor Thread State:",
    `    ${registers}`,
    "",
    "Binary Images:",
    ...names.map((name, index) =>
      `0x10000${index}000 - 0x10000${index}fff ${name} arm64 <00000000000000000000000000000000> /${long}${name}`
    ),
    "",
  ].join("\n"));
}

/** The same as JSON. */
export function hostileIps(): Uint8Array {
  const object = (value: (name: string) => unknown) =>
    `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join()}}`;
  const header = '{"bug_type":"309","app_name":"constructor","timestamp":"__proto__"}';
  const frames = names.map((symbol, index) => ({ imageIndex: index, imageOffset: index, symbol }));
  const state = object((name) => ({ value: 1, description: name }));
  const images = names.map((name, index) => ({
    source: "P",
    arch: "toString",
    base: 0x1_0000_0000 + index * 4096,
    size: 4096,
    uuid: "00000000-0000-0000-0000-000000000000",
    path: `/${long}${name}`,
    name,
  }));
  return new TextEncoder().encode(`${header}
{
  "procName": "constructor", "pid": 99999999999999999999, "cpuType": "toString", "modelCode": "__proto__",
  "exception": {"type": "constructor", "signal": "__proto__", "subtype": "toString"},
  "termination": {"namespace": "constructor", "code": 2343432205, "indicator": "toString"},
  "asi": ${object((name) => [name, `${" ".repeat(500)}x`])},
  "bundleInfo": ${object(() => 1)},
  "faultingThread": 0,
  "threads": [{"id": 1, "triggered": true, "name": "__proto__", "frames": ${JSON.stringify(frames)},
    "threadState": ${state}}],
  "usedImages": ${JSON.stringify(images)},
  "legacyInfo": ${object((name) => ({ [name]: name }))},
  "toString": 1, "constructor": {"prototype": null}, "__proto__": {"threads": 1}
}
`);
}
