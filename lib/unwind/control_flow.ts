/** Follows a function's control flow from its entry to one of its instructions. */

/** What one instruction does to the control flow. Offsets are from the function's start. */
export interface Step {
  /** Bytes, including data that follows the instruction. */
  readonly length: number;
  /** Where else execution may continue. */
  readonly targets?: readonly number[];
  /** Execution does not continue with the next instruction. */
  readonly ends?: boolean;
  /** It calls a function, which may not return. */
  readonly calls?: boolean;
  /** The function that it calls, where that is known. */
  readonly callee?: number;
  /** What it calls returns with the link register as the function was entered. */
  readonly restoresLink?: boolean;
  /** It jumps to an address that it computes. */
  readonly computed?: boolean;
  /** It returns: the DWARF number of the register with the return address, where that is in one. */
  readonly returns?: number;
}

/** Applies the instruction at an offset to a state: changes the state, or returns another one.
 * `null` when there is no instruction. */
export type Stepper<S> = (
  state: S,
  at: number,
) => { readonly state: S; readonly step: Step } | null;

/** What is followed along the control flow. */
export interface Machine<S> {
  readonly entry: S;
  /** A stepper for consecutive instructions. */
  begin(): Stepper<S>;
  /** A copy that later steps do not change. */
  copy(state: S): S;
  /** Size of the frame in a state, for comparison with other states of the function; 0 for none. */
  depth(state: S): number;
  /** The state for code that no known branch leads to: a landing pad, or a case of a `switch` by a
   * jump table.
   *
   * @param body a state of the function's body
   */
  unreached(body: S, at: number): S;
}

interface Arrival<S> {
  readonly state: S;
  /** Whether a branch leads there, and not only a call that may not return. */
  readonly certain: boolean;
}

/** A state that was seen, and the size of its frame. */
interface Sighting<S> {
  readonly state: S;
  readonly depth: number;
}

/** Maximum number of instructions that are followed. */
const MAX_INSTRUCTIONS = 1 << 15;
/** Maximum length of an instruction, in bytes. */
const MAX_LENGTH = 15;

/** Follows all code that branches lead to from the entry. */
export function followAll<S>(machine: Machine<S>, end: number): void {
  follow(machine, -1, end);
}

/** Finds the state before the instruction at `pc`, or before the one that contains it; `null` when
 * the way there is not code. The first of several ways counts: compilers make them agree.
 *
 * @param pc offset from the function's start
 * @param end offset of the function's end
 */
export function follow<S>(machine: Machine<S>, pc: number, end: number): S | null {
  /** Where each followed instruction ends. */
  const ends = new Map<number, number>();
  const pending = new Map<number, Arrival<S>>([
    [0, { state: machine.copy(machine.entry), certain: true }],
  ]);
  // The states with the largest frames: before calls and branches, and before jumps to computed
  // addresses. Unreached code is likely to have that of a jump, or else of the body.
  let body: Sighting<S> = { state: machine.entry, depth: 0 };
  let jump: Sighting<S> = body;

  const arrive = (at: number, state: S, certain: boolean): void => {
    if (at < 0 || at >= end || ends.has(at)) return;
    const known = pending.get(at);
    // The code after a call that does not return belongs to another block.
    if (known !== undefined && (known.certain || !certain)) return;
    pending.set(at, { state, certain });
  };

  /** Follows consecutive instructions. Returns the state at `pc`, if that is among them. */
  const run = (start: number, from: S): S | undefined => {
    const stepper = machine.begin();
    let state = from;
    for (let at = start; !ends.has(at) && at < end;) {
      if (at !== start) pending.delete(at);
      if (at === pc) return state;
      const before = at < pc && pc - at < MAX_LENGTH ? machine.copy(state) : state;
      const applied = stepper(state, at);
      if (applied === null) return undefined;
      const { step } = applied;
      const next = at + step.length;
      if (at < pc && pc < next) return before;
      ends.set(at, next);
      state = applied.state;
      if (step.calls || step.computed || step.targets !== undefined && !step.ends) {
        const depth = machine.depth(state);
        if (step.computed && depth > jump.depth) jump = { state: machine.copy(state), depth };
        else if (!step.computed && depth > body.depth) body = { state: machine.copy(state), depth };
      }
      for (const target of step.targets ?? []) arrive(target, machine.copy(state), true);
      if (step.calls) arrive(next, state, false);
      if (step.calls || step.ends) return undefined;
      at = next;
    }
    return undefined;
  };

  let gap = -1;
  // What branches lead to comes first, then what follows calls, each in the order of addresses.
  for (;;) {
    if (ends.size > MAX_INSTRUCTIONS) pending.clear();
    let first: number | undefined;
    let rank = 4;
    for (const [at, { certain }] of pending) {
      const own = (at <= pc ? 0 : 2) + (certain ? 0 : 1);
      if (own > rank || own === rank && at > first!) continue;
      first = at;
      rank = own;
    }
    if (first === undefined) {
      let last = -1;
      for (const at of ends.keys()) if (at < pc && at > last) last = at;
      const next = ends.get(last);
      if (next === undefined || next <= gap || ends.size > 2 * MAX_INSTRUCTIONS) return null;
      gap = next;
      pending.set(gap, {
        state: machine.unreached((jump.depth > 0 ? jump : body).state, gap),
        certain: false,
      });
      continue;
    }
    const { state } = pending.get(first)!;
    pending.delete(first);
    const found = run(first, state);
    if (found !== undefined) return found;
  }
}
