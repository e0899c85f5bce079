/** What `machpause view` shows. */
import type { Profile } from "../../../lib/profile/mod.ts";
import type { PageHead, PageTrack, PageWords, StacksJson } from "../../page/data.ts";

/** One moment of one or several processes, the groups of a library, or a profile. */
export type Viewed =
  & { readonly head: PageHead }
  & (
    | {
      readonly tasks: readonly StacksJson[];
      readonly tracks?: readonly PageTrack[];
      readonly words?: PageWords;
      /** For viewers of profiles, in place of a sample for each thread. */
      readonly profile?: Profile;
    }
    | { readonly profile: Profile }
  );
