/** A library of reports, as `collect` makes it, in a browser: each group of reports is one stack, whose weight is
 * how often it occurred. So what groups have in common is one tree, and the flame graph says where most of it
 * happens. */
import { openDatabase } from "../../../ffi/sqlite.ts";
import { ReportLibrary } from "../../../lib/collect/mod.ts";
import { isSystemImage, type ReportGroup } from "../../../lib/report/mod.ts";
import { dateText, type StacksJson, type ThreadJson } from "../../page/data.ts";
import { libraryProfile } from "./library_profile.ts";
import type { Viewed } from "./viewed.ts";

/** Maximum number of groups that are shown, the largest. */
const MAX_GROUPS = 1000;

/** Reads the groups of a library.
 *
 * @throws FormatError when it is another database
 */
export async function libraryIn(path: string): Promise<Viewed> {
  using database = await openDatabase(path, { isReadOnly: true });
  const library = new ReportLibrary(database, path, { isReadOnly: true });
  const threads: ThreadJson[] = [];
  let count = 0;
  for (const group of library.groups()) {
    count++;
    if (threads.length >= MAX_GROUPS) continue;
    threads.push({
      index: threads.length,
      id: null,
      name: `${group.count}× ${group.parts.slice(0, 2).join(" ← ")}`,
      state: null,
      queue: null,
      about: aboutGroup(group),
      weight: group.count,
      stopped: null,
      // The latest report of a group stands for it.
      frames: library.stackOf(group.id).map((frame) => ({
        ...frame,
        offset: null,
        inlined: false,
        kernel: frame.image !== null && isSystemImage({ name: frame.image, path: null }),
      })),
    });
  }
  const { reports, failed } = library.counts;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const target = { kind: "library", pid: null, name, arch: null };
  const task: StacksJson = { target, images: [], threads };
  const left = count - threads.length;
  return {
    tasks: [task],
    profile: libraryProfile(library.stacks()),
    words: { one: "group", many: "groups", weight: "Reports" },
    head: {
      title: name,
      subtitle: `${reports} reports in ${count} groups`,
      facts: [["Library", path], ["Reports", `${reports}`], ["Groups", `${count}`]],
      notes: [
        ...left > 0 ? [`The ${left} smallest groups are left out.`] : [],
        ...failed > 0 ? [`${failed} files could not be read.`] : [],
      ],
    },
  };
}

function aboutGroup(group: ReportGroup): string {
  const { parts, versions, models, systems, verdicts, first, last, example } = group;
  const list = (title: string, counts: ReadonlyMap<string, number>): string | null => {
    if (counts.size === 0) return null;
    const names = [...counts].slice(0, 4).map(([name, count]) => `${name} (${count}×)`);
    return `${title} ${names.join(", ")}${counts.size > 4 ? ` and ${counts.size - 4} more` : ""}`;
  };
  const dates = first === null || last === null
    ? null
    : first === last
    ? dateText(last)
    : `${dateText(first)} to ${dateText(last)}`;
  return [
    parts.join(" ← "),
    list("versions", versions),
    list("devices", models),
    list("systems", systems),
    list("whose:", verdicts),
    dates,
    example,
  ].filter((text) => text !== null && text !== "").join(" · ");
}
