import type { Arch } from "../arch/mod.ts";
import type { CodeResolver, Via } from "../target/mod.ts";
import { describeRow } from "./describe.ts";
import { plansOf } from "./plan.ts";

/** How a caller would be found.
 *
 * @example
 * ```ts
 * import { attach, type UnwindPlan, unwindPlan } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const [{ symbol }] = target.lookup("main");
 * const plan: UnwindPlan | null = unwindPlan(target, symbol.address + 8n).caller;
 * console.log(plan?.via, plan?.rule);
 * ```
 */
export interface UnwindPlan {
  /** By what kind of information. */
  readonly via: Via;
  /** The rule in words, as in `CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`. */
  readonly rule: string;
}

/** Tells how a walk would go on from code at `address`: as an innermost frame that is about to execute
 * the instruction there, and as a caller that is in a call there. `null` where frame records are all
 * there is to go by.
 *
 * @param target whose code it is
 * @example
 * ```ts
 * import { attach, unwindPlan } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const [{ symbol }] = target.lookup("main");
 * console.log(unwindPlan(target, symbol.address).innermost?.rule); // CFA = rsp + 8; rip = [CFA - 8]
 * ```
 */
export function unwindPlan(
  target: CodeResolver & { readonly arch: Arch },
  address: bigint,
): { readonly innermost: UnwindPlan | null; readonly caller: UnwindPlan | null } {
  const { arch } = target;
  const plans = plansOf(target.resolve(address).image, arch, target);
  const [innermost, caller] = [plans?.innermostAt(address), plans?.at(address)].map((plan) =>
    plan === undefined || plan === null
      ? null
      : { via: plan.via, rule: describeRow(arch, plan.row) }
  );
  return { innermost, caller };
}
