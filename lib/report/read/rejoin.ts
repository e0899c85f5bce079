/** Joining the lines of a report that a mail program, a terminal or an editor broke: at blanks, or at a width. Everything
 * here takes linear time. */

/** A frame's number and image, as far as a line has them. */
const frameBegin =
  /^[ \t]{0,8}\d{1,4}[ \t]{1,8}(?=[A-Za-z?._])(\S[^\n]{0,90}?)(?:[ \t]+(0x[0-9a-fA-F]{6,16})(?:[ \t](.*))?)?$/;
/** How a frame's line ends that has all of it. */
const frameEnd =
  /[ \t]\+ (?:\d{1,12}|0x[0-9a-f]{1,9})(?: \([^()\n]{1,300}\))?(?: \[inlined\])?$|\([^()\n]{1,300}:-?\d{0,9}\)$|\[inlined\]$/;
/** Fields of a header whose value goes on where their line was broken; that of a termination keeps its lines. */
const field =
  /^(?:Process|Path|Identifier|Version|Build Info|Code Type|Parent Process|Responsible(?: Process)?|Coalition|Date\/Time|Launch Time|OS Version|Hardware Model|Crashed Thread|Triggered by Thread|Exception Type|Exception Codes|Exception Subtype|Exception Message|VM Region Info):/;
/** Lines that begin something. */
const begins =
  /^(?:\s|\d{1,4}[ \t]{1,8}[A-Za-z?._][^\n]{1,90}|Thread \d|Binary Images|Last Exception|Application Specific|0x[0-9a-f]{3,16} - |[*=`>]|-{2,}|- |[A-Z][\w/ ]{1,40}:$|(?:Incident Identifier|CrashReporter Key|Crash Reporter Key|Report Version|Release Type|User ID|Anonymous UUID|Exception Note|Termination \w{4,11}|Terminating Process|VM Regions? Near|Role|Beta|System Integrity|Time |Sleep\/Wake|Error Code|Trap Number|Logical CPU|Bridge OS)\b|terminating with |abort\(\) called)/;

/** A line of a list of images that may lack its end: before the image's path, or within it. */
const openImage = /^\s{0,20}0x[0-9a-f]{3,16} - +0x[0-9a-f]{3,16} [^\n]{0,200}$/;
/** A line of a list of regions that lacks its end. */
const openRegion =
  /^\s{0,12}(?:-{2,4}>)?\s{0,8}\S[^\n]{0,60} [0-9a-f]{6,16}-[0-9a-f]{6,16} \[[^\n]{0,40}$/;

function isFrame(line: string): boolean {
  const match = frameBegin.exec(line);
  return match !== null && (match[2] !== undefined || /[ \t]$|\.dylib$|^\S+$/.test(match[1]));
}

/** Whether a line begins something. */
function isBegin(line: string): boolean {
  return begins.test(line) || field.test(line);
}

/** Whether a line is a frame that goes on in the next one. */
function isOpen(line: string, following: string): boolean {
  if (line.length > 2000) return false;
  // The blank that it was broken at may begin the next line.
  const next = /^ \S/.test(following) ? following.slice(1) : following;
  const match = frameBegin.exec(line);
  if (match === null) return false;
  // A place in the source, or the name that some reporters add.
  if (/^\([^()\s]/.test(next) && !line.endsWith(")")) return true;
  if (frameEnd.test(line)) return false;
  // The image alone: the address follows.
  if (match[2] === undefined) return /^0x[0-9a-fA-F]{6,16}(?: (?!- )|$)/.test(next);
  return line.endsWith(" +") || !isBegin(next);
}

/** Most lines that one was broken into. */
const MAX_PARTS = 8;

/** Whether the frame that begins at a line is whole with lines after it. */
function isWholeWith(lines: readonly string[], at: number): boolean {
  let joined = lines[at];
  for (let more = 1; more <= MAX_PARTS && at + more < lines.length; more++) {
    const next = lines[at + more].trimEnd();
    if (next === "" || !isOpen(joined, next)) return false;
    joined = `${joined.trimEnd()} ${next.trimStart()}`;
    if (frameEnd.test(joined)) return true;
  }
  return false;
}

/** Whether a line is numbered and does not end as a frame does, or is only a place in the source, which few are: quick. */
function hasOpen(head: string): boolean {
  for (let at = 0, end = head.indexOf("\n"); end >= 0; at = end + 1, end = head.indexOf("\n", at)) {
    let first = head.charCodeAt(at);
    for (let skip = at; first === 0x20 && skip < at + 8; skip++) first = head.charCodeAt(skip + 1);
    if (first === 0x28) return true;
    if (first < 0x30 || first > 0x39) continue;
    let last = head.charCodeAt(end - 1);
    for (let back = end - 1; last <= 0x20 && back > at; back--) last = head.charCodeAt(back - 1);
    const isEnd = last >= 0x30 && last <= 0x39 || last === 0x29 || last === 0x5d;
    // An address at the end is not an offset.
    if (!isEnd || /0x[0-9a-fA-F]{6,16}\s*$/.test(head.slice(Math.max(at, end - 30), end))) {
      return true;
    }
  }
  return false;
}

/** Whether lines were broken at blanks: several frames are whole with the line after them. */
export function isBroken(head: string): boolean {
  if (!hasOpen(head)) return false;
  const lines = head.split(/\r?\n/);
  let count = 0;
  for (let at = 0; at + 1 < lines.length; at++) {
    if (isFrame(lines[at]) && isWholeWith(lines, at) && ++count > 1) return true;
  }
  return false;
}

/** A text whose broken lines are whole. */
export function rejoined(text: string): string {
  const lines = text.split(/\r?\n/);
  // Lines were broken where the next word did not fit any more.
  let width = 0;
  for (let at = 0; at < lines.length; at++) {
    if (isFrame(lines[at]) && isWholeWith(lines, at)) width = Math.max(width, lines[at].length);
  }
  const whole: string[] = [];
  let last = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at].trimEnd();
    const before = whole.at(-1) ?? "";
    const word = /^\S*/.exec(line)![0].length;
    const isFull = last + 1 + word > width;
    const goesOn = line !== "" && before !== "" && before.length < 4000 &&
      (isOpen(before, line) ? isFrame(before) : !isBegin(line) && isFull && !isFrame(before) ||
        field.test(before) && !isBegin(line) && (isFull || /[:,]$/.test(before)) ||
        /^[</]/.test(line) && !before.includes("/") && openImage.test(before) ||
        openRegion.test(before) && !isBegin(line));
    if (goesOn) whole[whole.length - 1] = `${before} ${line.trimStart()}`;
    else whole.push(line);
    last = line.length;
  }
  return whole.join("\n");
}

/** A line of a call tree as `sample` writes it, up to its function. */
const treeBegin = /^[ \t+!:|]{2,400}\d{1,9} (?:\S|$)/;
/** The begin of one whose function did not fit beside its number. */
const treeCount = /^[ \t+!:|]{2,400}\d{1,9}$/;
/** How such a line ends, but for threads' titles. */
const treeEnd =
  /\[0x[0-9a-f]{1,16}(?:,0x[0-9a-f]{1,16}|,\.{3}){0,99}\](?: {1,4}\S{1,200}:\d{1,7})?$|^[ \t+!:|]{2,40}\d{1,9} Thread_/;

/** Most lines of a tree that are looked at. */
const MAX_TREE_LINES = 60;

/** Whether a line of a tree lacks its end. */
function isOpenTree(line: string): boolean {
  return line.length < 2000 && (treeBegin.test(line) || treeCount.test(line)) &&
    !treeEnd.test(line);
}

/** Whether a line may be the rest of one of a tree. */
function isTreeRest(line: string): boolean {
  return line !== "" && line.length < 1000 && !treeBegin.test(line) && !treeCount.test(line) &&
    !/^(?:Total number|Sort by|Binary Images|\s*Thread )/.test(line);
}

/** Whether the lines of a call tree were broken at blanks: several have their addresses on the next one. */
export function isBrokenTree(head: string): boolean {
  const from = head.indexOf("\nCall graph:");
  if (from < 0) return false;
  const lines = head.slice(from + 1).split(/\r?\n/, MAX_TREE_LINES);
  let count = 0;
  for (let at = 0; at + 1 < lines.length; at++) {
    if (!isOpenTree(lines[at].trimEnd())) continue;
    let end = at + 1;
    while (
      end <= at + MAX_PARTS && isTreeRest(lines[end] ?? "") && !treeEnd.test(lines[end].trimEnd())
    ) {
      end++;
    }
    const last = lines[end]?.trimEnd() ?? "";
    if (isTreeRest(last) && treeEnd.test(last)) count++;
  }
  return count > 1;
}

/** A text whose broken lines of call trees are whole. */
export function rejoinedTree(text: string): string {
  const whole: string[] = [];
  let isIn = false;
  for (const written of text.split(/\r?\n/)) {
    const line = written.trimEnd();
    if (/^(?:Call graph:|Total number|Sort by|Binary Images)/.test(line)) {
      isIn = line.startsWith("Call graph:");
    }
    const before = whole.at(-1) ?? "";
    // The place in the source stands behind the address.
    const isPlace = treeEnd.test(before) && /^[\w+.-]{1,120}\.\w{1,4}:\d{1,7}$/.test(line) &&
      treeBegin.test(before) && !/:\d{1,7}$/.test(before);
    if (isIn && isTreeRest(line) && (isPlace || isOpenTree(before))) {
      const rest = line.trimStart();
      whole[whole.length - 1] = `${before}${/^(?:\(in |\[0x)/.test(rest) ? "  " : " "}${rest}`;
    } else whole.push(line);
  }
  return whole.join("\n");
}

/** Widths of terminals and editors. */
const MIN_WIDTH = 60;
/** Most lines of that width that are looked at. */
const MAX_LOOKED_AT = 12;

/** The width at which each longer line of a report was cut, by its frames or its list of images; 0 for other texts. */
export function cutWidth(text: string, size: number): number {
  const width = widthOf(text.slice(0, size));
  return width > 0 || text.length <= size ? width : widthOf(text.slice(-size));
}

/** The width at which each longer line was cut, within words too; 0 for other texts. */
function widthOf(head: string): number {
  let width = 0;
  /** Where the longest lines begin. */
  let longest: number[] = [];
  // What is behind the last line may be cut by the look at the text itself.
  for (let at = 0, end = head.indexOf("\n"); end >= 0; at = end + 1, end = head.indexOf("\n", at)) {
    const length = end - at - (head.charCodeAt(end - 1) === 0x0d ? 1 : 0);
    if (length < width) continue;
    if (length > width) longest = [];
    width = length;
    if (longest.length < MAX_LOOKED_AT) longest.push(at);
  }
  if (width < MIN_WIDTH || longest.length < 2) return 0;
  let cut = 0;
  for (const at of longest) {
    const line = head.slice(at, at + width);
    const from = head.indexOf("\n", at) + 1;
    const end = head.indexOf("\n", from);
    if (end < 0) continue;
    const next = head.slice(from, end).trimEnd();
    const isImage = next !== "" && openImage.test(line) && !isBegin(next);
    const isCutFrame = isFrame(line) && !isFrame(next) && frameEnd.test(line + next) &&
      (!frameEnd.test(line) || restOfNumber.test(next));
    if (isImage || isCutFrame) cut++;
  }
  return cut > 1 && cut * 3 > longest.length ? width : 0;
}

/** What is left of a frame's offset. */
const restOfNumber = /^\d{1,6}(?: \(.{0,300}\))?$/;

/** A text whose lines were cut at a width. */
export function uncut(text: string, width: number): string {
  const whole: string[] = [];
  let isCut = false;
  const lines = text.split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    if (isCut) whole[whole.length - 1] += line;
    else whole.push(line);
    // A line may be as long by itself.
    isCut = line.length === width &&
      !(at + 1 < lines.length && frameEnd.test(line) && isFrame(lines[at + 1]));
  }
  return whole.join("\n");
}
