/** How much is in a profile, in words. */
import { safe, type SafeText } from "../../../lib/escape.ts";
import { type Profile, sampleCount, totalWeight } from "../../../lib/profile/mod.ts";
import { count } from "../../view/text.ts";

/** As in `1,388 samples of 7 threads, in 466 stacks`: a stack may count as several samples. What counts time
 * or bytes has only stacks. */
export function sizeText(profile: Profile): SafeText {
  const stacks = sampleCount(profile);
  const threads = count(profile.threads.length, "thread");
  if (profile.unit !== "samples") return safe`${count(stacks, "stack")} of ${threads}`;
  const total = Number(totalWeight(profile).toFixed(3));
  const inside = stacks === total ? safe`` : safe`, in ${count(stacks, "stack")}`;
  return safe`${count(total, "sample")} of ${threads}${inside}`;
}
