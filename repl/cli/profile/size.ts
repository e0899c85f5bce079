/** How much is in a profile, in words. */
import { safe, type SafeText } from "../../../lib/escape.ts";
import { type Profile, sampleCount, totalWeight } from "../../../lib/profile/mod.ts";
import { count } from "../../view/text.ts";

/** As in `150 samples of 2 threads`, or for counts by stack `5,086 samples of 2 threads, in 3 stacks`. */
export function sizeText(profile: Profile): SafeText {
  const rows = sampleCount(profile);
  const threads = count(profile.threads.length, "thread");
  return profile.aggregated && profile.unit === "samples"
    ? safe`${count(Math.round(totalWeight(profile)), "sample")} of ${threads}, in ${
      count(rows, "stack")
    }`
    : safe`${count(rows, "sample")} of ${threads}`;
}
