/** The threads of stackshots in text: of iOS up to 9 (bug type 188, exception code 0xbaaaaaad). No document of
 * Apple's describes them. */

import { noFrame } from "../report.ts";
import type { ReportFrame, ReportImage, ReportThread } from "../drafts.ts";
import { normalUuid } from "../images.ts";
import { Lines } from "../text.ts";

/** The lists of a stackshot. */
export interface StackshotLists {
  readonly threads: readonly ReportThread[];
  /** Images with a load address and a UUID only. */
  readonly images: readonly ReportImage[];
}

const threadsTitle = /^Process (\d{1,9})(?: (\S.{0,100}?))? threads:$/;
const imagesTitle = /^Process (\d{1,9}) binary images:$/;
const threadLine = /^thread 0x([0-9a-f]{1,16}) (TH_\w+(?:\|TH_\w+)*)/;
const stackLine = /^\t(kernel cont|kernel|user):((?: 0x[0-9a-f]{1,16})+)$/;
const imageLine = /^ 0x([0-9a-f]{1,16}) <([0-9a-f]{32})>$/;

/** More are not in one process. */
const MAX_FRAMES = 1024;

interface DraftThread {
  readonly id: bigint;
  readonly pid: number;
  readonly process: string;
  readonly kernel: bigint[];
  readonly user: bigint[];
}

/** Reads the lists of threads and images of a text; `null` when it has none. */
export function readStackshotLists(text: string, from: number): StackshotLists | null {
  if (!text.includes(" threads:\nthread 0x", from)) return null;
  const lines = new Lines(text, from);
  const drafts: DraftThread[] = [];
  const images = new Map<number, ReportImage[]>();
  let pid = 0;
  let process = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at).trimEnd();
    const thread = threadLine.exec(line);
    if (thread !== null) {
      drafts.push({ id: BigInt(`0x${thread[1]}`), pid, process, kernel: [], user: [] });
      continue;
    }
    const stack = stackLine.exec(line);
    const last = drafts.at(-1);
    if (stack !== null && last !== undefined) {
      const into = stack[1] === "user" ? last.user : last.kernel;
      for (const address of stack[2].trim().split(" ").slice(0, MAX_FRAMES)) {
        into.push(BigInt(address));
      }
      continue;
    }
    const image = imageLine.exec(line);
    if (image !== null) {
      images.set(pid, [...images.get(pid) ?? [], imageAt(BigInt(`0x${image[1]}`), image[2])]);
      continue;
    }
    const title = threadsTitle.exec(line) ?? imagesTitle.exec(line);
    if (title === null) continue;
    pid = Number(title[1]);
    if (title[2] !== undefined) process = `${title[2]} [${pid}]`;
    else if (!line.includes("binary images")) process = `[${pid}]`;
  }
  for (const list of images.values()) {
    list.sort((a, b) => a.base < b.base ? -1 : a.base > b.base ? 1 : 0);
  }
  const threads = drafts.map((draft, index): ReportThread => ({
    index,
    id: draft.id,
    name: null,
    queue: null,
    crashed: false,
    frames: [
      ...draft.kernel.map((address) => frameAt(address, null)),
      // An image ends where the next one begins: the text has no sizes.
      ...draft.user.map((address) =>
        frameAt(address, images.get(draft.pid)?.findLast(({ base }) => base <= address) ?? null)
      ),
    ].map((frame, index) => ({ ...frame, index })),
    registers: [],
    flavor: null,
    process: draft.process,
    tree: [],
  }));
  return { threads, images: [...images.values()].flat() };
}

function imageAt(base: bigint, digits: string): ReportImage {
  return {
    name: "???",
    path: null,
    uuid: normalUuid(digits),
    arch: null,
    base,
    size: 0n,
    version: null,
    identifier: null,
    marked: false,
  };
}

/** A frame of a process's image, or of the kernel. */
function frameAt(address: bigint, image: ReportImage | null): ReportFrame {
  return {
    ...noFrame,
    address,
    image,
    imageName: image === null ? "kernel" : null,
  };
}
