/** Titles of a report's parts, and lines that are none. */

/** Most lines that are kept of those that were not understood, and their length. */
export const MAX_UNREAD = 1000;
export const MAX_UNREAD_LENGTH = 1000;

/** `Application Specific Information:` as a heading of Markdown or in a list, cut off, or with letters that were misread. */
export const damagedTitle =
  /^[^\p{L}\d]{0,8}(?:[\p{L}\d]{1,14}[ \t]{1,4})?[Ss][\p{L}\d]{1,3}c[\p{L}\d]{2,6}[ \t]{1,4}[I1l][\p{L}\d]{8,13}[ \t]?[:：]?[*_`]{0,3}$/u;

/** Titles and fields that only reports have. */
const ofReports =
  /^(?:Thread \d{1,5}(?: [Cc]rashed| name)?\s?:|Last Exception Backtrace\b|Application Specific (?:Information|Backtrace)|Dyld Error Message|Binary Images:|(?:Exception (?:Type|Subtype|Codes|Note|Message|Reason)|Termination (?:Reason|Signal|Description)|Crashed Thread|Triggered by Thread|Incident Identifier|Hardware Model|Code Type|OS Version|Report Version|Date\/Time|Parent Process|VM Region Info): {0,20}\S|Process: {1,20}\S.{0,80} \[\d{1,9}\]$)/;

/** What Markdown and lists put before a line. */
const lineMarks =
  /^(?:\[\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\] [^:\n]{1,40}: |#{1,6}[ \t]{1,4}|[-+*\u2022\u00b7\u2013][ \t]{1,4}|[*_]{1,3}(?=\w)|`{1,3}(?=\w)){1,4}/;

/** The title or field of a report that a line alone is, which somebody marked, wrote in small letters, or spaced; `null`
 * for other lines, and those that have nothing to be undone.
 *
 * @param first its first character
 */
export function titleIn(line: string, first: number): string | null {
  // Nearly all lines are frames, images and registers, which begin with digits and small letters.
  const isSmall = first >= 0x61 && first <= 0x7a;
  if (isSmall && !line.startsWith("thread ") && !line.startsWith("last exception")) return null;
  if (first >= 0x30 && first <= 0x39 || line.length > 400) return null;
  const isPlain = isSmall || first >= 0x41 && first <= 0x5a;
  const bare = isPlain ? line : line.replace(lineMarks, "");
  // Small, spaced, or with another mark: `thread 0 crashed:`, `Thread  0  Crashed:`, `Thread 0 Crashed -`.
  const isOdd =
    /^(?:thread[ \t]{1,4}\d|last exception backtrace\b|[A-Z]\w{3,12}[ \t]{2,4}\w{1,9}(?:[: \t]|$)|Thread \d{1,5}(?: Crashed)? ?[-\u2013\uff1a])/
      .test(bare);
  if (bare === line && !isOdd) return null;
  let title = bare === line
    ? line
    : bare.replace(/[*_`]{1,3}$/, "").replace(/^([\w\/ ]{2,40}:?)[*_`]{1,3}(?=[: ]|$)/, "$1");
  if (isOdd) {
    const colon = colonAt(title);
    const end = /^thread/i.test(title) || colon < 0 ? title.length : colon;
    title = title.slice(0, end).replace(/[ \t]{2,}/g, " ").replace(/^thread(?= \d)/, "Thread")
      .replace(/^last exception backtrace/, "Last Exception Backtrace")
      .replace(/^(Thread \d{1,5}(?: Crashed)?) ?[-\u2013\uff1a]/, "$1:") + title.slice(end);
  }
  return title !== line && ofReports.test(title) ? title : null;
}

/** Titles of sections of which all is known that they can say: those of Apple's reports and of other reporters. */
export const knownSections =
  /^(?:Application Specific|Dyld Error|VM Regions?\b|Kernel\b|External Modification|Filtered|Extra Information|Notable Addresses|Calls made by|System Profile|Translated Code|Zone info|Error Formulating|Stack Dump|Binary Images|Referenced object|Object referenced|Handler crashed|Heaviest stack|Memory Module|Thunderbolt|Xamarin|Managed|Call stack|Preferred User|.{0,60}instruction stream)/i;

/** Lines that Apple's reporter writes itself and that tell nothing of an end: the titles of a translated report, counts of
 * earlier crashes, and the machine's parts in the profile of the system. */
export const ofReporter =
  /^(?:(?:Translated Report \()?Full Report(?: Below\))?$|(?:Per-App )?(?:Interval|Crashes) Since Last Report:|(?:Model|Graphics|Display|Memory Module|AirPort|Bluetooth|Network Service|PCI Card|(?:Serial ATA|Parallel ATA|USB|FireWire|Thunderbolt) (?:Device|Bus)): )/;

/** The lines of a part of a text that is not read, as {@linkcode CrashReport.unread} has them. */
export function unreadLines(text: string): string[] {
  const unread: string[] = [];
  for (const line of text.split(/\r?\n/, MAX_UNREAD)) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.length > MAX_UNREAD_LENGTH || ofReporter.test(trimmed)) continue;
    unread.push(trimmed);
  }
  return unread;
}

/** Offset of the colon after a name, ASCII or full-width; -1 without one. */
export function colonAt(text: string): number {
  const colon = text.indexOf(":");
  const wide = text.indexOf("：");
  if (colon < 0 || wide < 0) return Math.max(colon, wide);
  return Math.min(colon, wide);
}
