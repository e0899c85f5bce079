import type { Arch } from "../arch/mod.ts";
import { describeRow } from "./describe.ts";
import type { FoundBy, UnwindImages } from "./frame.ts";
import { plansOf } from "./image_plans.ts";

/** How a caller would be found. */
export interface UnwindPlan {
  /** By what kind of information. */
  readonly foundBy: FoundBy;
  /** The rule, as in `CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`. */
  readonly rule: string;
}

/** How unwinding would continue from code at `address`: for an innermost frame that is about to
 * execute the instruction there, and for a caller that is in a call there. `null` where only frame
 * records are left.
 *
 * @param target whose code it is
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { unwindPlan } from "@machpause/machpause/unwind";
 *
 * using target = attach("MyApp");
 * const [{ symbol }] = target.lookup("main");
 * console.log(unwindPlan(target, symbol.address).innermost?.rule); // CFA = rsp + 8; rip = [CFA - 8]
 * ```
 */
export function unwindPlan(
  target: UnwindImages & { readonly arch: Arch },
  address: bigint,
): { readonly innermost: UnwindPlan | null; readonly caller: UnwindPlan | null } {
  const { arch } = target;
  const plans = plansOf(target.imageAt(address), arch, target);
  const [innermost, caller] = [plans?.innermostAt(address), plans?.at(address)].map((plan) =>
    plan === undefined || plan === null
      ? null
      : { foundBy: plan.foundBy, rule: describeRow(arch, plan.row) }
  );
  return { innermost, caller };
}
