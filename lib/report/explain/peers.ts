/** The thread for which a main thread that did not answer may have waited, by what the stacks of both show. */

import { isBaseLibrary, isKernelFrame, isSystemFrame, titleOf } from "../images.ts";
import { mainCall } from "../knowledge/mod.ts";
import type { ReportFrame, ReportThread } from "../report.ts";
import {
  activityOf,
  begunBefore,
  isEventLoop,
  isIdleStack,
  mainThread,
  samplesOf,
  waitOf,
} from "./hang.ts";
import { shortName } from "./names.ts";
import { frameOwner, functionOf } from "./stack.ts";
import { sentence, threadWords } from "./words.ts";

/** Another thread that waits too. */
export interface Peer {
  readonly thread: ReportThread;
  /** What both wait for, in a sentence. */
  readonly words: string;
  /** Usual causes; empty where the stacks do not show enough. */
  readonly causes: readonly string[];
  /** What to do; empty where nothing is known. */
  readonly next: string;
}

/** Most frames above a wait that are looked at. */
const PEER_DEPTH = 12;
/** Most threads that are looked at. */
const MAX_THREADS = 500;
/** Waits that another thread of the process ends. */
const forOther = /^(?:mutex|rwlock|lock|condition|semaphore|join|queue)$/;
/** Waits that the one ends who holds something. */
const forHolder = /^(?:mutex|rwlock|lock)$/;
/** Functions that wait for a dispatch queue. */
const syncs =
  /^(?:_?dispatch_(?:barrier_)?(?:async_and_wait|sync)\b|__DISPATCH_WAIT_FOR_QUEUE__|_dispatch_(?:barrier_)?sync_f|_dispatch_lane_barrier_sync|\w{0,40}DispatchQueue\.sync)/;

/** A function with the class that it is of, and its library. */
interface Member {
  readonly symbol: string;
  readonly type: string | null;
  readonly title: string;
  readonly isSystem: boolean;
}

/** The class of a method of Objective-C or a member of C++ or Swift. */
function classOf(symbol: string): string | null {
  const method = /^[-+]\[(\w{1,100})(?:\([^)]{0,100}\))? [\w:.]{1,200}\]/.exec(symbol)?.[1];
  if (method !== undefined) return method;
  // Classes of the C++ library take part in everything.
  const member = /^(?!std::)((?:\w{1,80}::){1,6})~?\w{1,80}\(/.exec(symbol)?.[1];
  return member === undefined ? null : member.slice(0, -2);
}

/** What a thread is within while it waits, the innermost first: not what the base libraries do for it, nor the event loop
 * that called it. */
function within(frames: readonly ReportFrame[]): Member[] {
  const members: Member[] = [];
  for (const frame of frames.slice(0, PEER_DEPTH)) {
    const symbol = functionOf(frame, null);
    if (symbol === null || isKernelFrame(frame)) continue;
    if (isEventLoop(symbol)) break;
    const title = titleOf(frame);
    if (isBaseLibrary(title)) continue;
    members.push({ symbol, type: classOf(symbol), title, isSystem: isSystemFrame(frame) });
  }
  return members;
}

/** The innermost thing that a thread is within, and the program's function that called it. */
function placeOf(frames: readonly ReportFrame[], inner: string | null): string {
  const own = frames.find((frame) => frameOwner(frame, functionOf(frame, null)) === "program")
    ?.symbol ?? null;
  const first = inner ?? within(frames)[0]?.symbol ?? null;
  const names = [first, own].filter((name) => name !== null);
  const [one, other] = names.map(shortName);
  if (one === undefined) return "";
  return other === undefined || other === one ? ` in ${one}` : ` in ${one}, called by ${other}`;
}

/** The stack of a thread, or the one that it had in nearly all of its samples; empty where it had several. */
function stackOf(thread: ReportThread): readonly ReportFrame[] {
  if (thread.tree.length === 0) return thread.frames;
  const { busiest, samples } = activityOf(thread);
  return samples * 10 >= samplesOf(thread) * 9 ? busiest : [];
}

/** The other thread that waits, where the main thread of a process waits for something that another one does: `null` where
 * the stacks show none, or several that may be meant. */
export function peerOf(threads: readonly ReportThread[]): Peer | null {
  const main = mainThread({ threads });
  const own = main === null ? [] : stackOf(main);
  const reason = waitOf(own)?.waitReason;
  if (main === null || reason === undefined || !forOther.test(reason)) return null;
  if (begunBefore(own) !== null) return null;
  const others = threads.slice(0, MAX_THREADS).flatMap((thread): Other[] => {
    const frames = thread === main ? [] : stackOf(thread);
    if (frames.length === 0 || isIdleStack(frames)) return [];
    return [{ thread, frames, waited: waitOf(frames)?.waitReason ?? null }];
  });
  const waiters = others.filter(({ waited }) => waited !== null && forOther.test(waited));
  const byClass = forHolder.test(reason) ? holder(own, others) : sameClass(own, waiters);
  return callerOf(own, waiters, false) ?? byClass ?? callerOf(own, waiters, true) ??
    bothSync(own, waiters) ?? sameLibrary(own, waiters);
}

/** Another thread, and what it waits for; `null` where it works. */
interface Other {
  readonly thread: ReportThread;
  readonly frames: readonly ReportFrame[];
  readonly waited: string | null;
}

/** A thread that waits until the main thread has done something.
 *
 * @param byName whether only the name of a function says so
 */
function callerOf(
  own: readonly ReportFrame[],
  others: readonly Other[],
  byName: boolean,
): Peer | null {
  const found = others.flatMap(({ thread, frames }) => {
    const symbol = frames.slice(0, 2 * PEER_DEPTH).map((frame) => functionOf(frame, null)).find(
      (name) => {
        const call = name === null ? null : mainCall(name);
        return call !== null && (call.byName === true) === byName;
      },
    );
    return symbol == null ? [] : [{ thread, frames, symbol }];
  });
  if (found.length === 0 || byName && found.length > 1) return null;
  const [{ thread, frames, symbol }] = found;
  const types = within(own).flatMap(({ type }) => type === null ? [] : [type]);
  const shared = frames.map(({ symbol }) => symbol === null ? null : classOf(symbol)).find((type) =>
    type !== null && types.includes(type)
  );
  const more = found.length > 1 ? ` (${found.length - 1} more threads as well)` : "";
  const who = byName
    ? `${threadWords(thread)} waited${
      placeOf(frames, symbol)
    }, which by its name has the main thread do something${more}`
    : `${threadWords(thread)} waited for the main thread${placeOf(frames, symbol)}${more}`;
  // Who only uses the system's function cannot change it.
  const caller = frames.find((frame) => frameOwner(frame, functionOf(frame, null)) === "program")
    ?.symbol ?? null;
  return {
    thread,
    words: sentence(
      `${who}, while the main thread waited${placeOf(own, null)}: ${
        shared == null ? "" : `both were within ${shared}; `
      }if the main thread waited for what that thread does, neither could go on`,
    ),
    causes: [
      `a deadlock, if the main thread waited for what thread ${thread.index} does: that one waited${
        byName ? ", by a function's name," : ""
      } for the main thread`,
    ],
    next: caller === null
      ? ""
      : `See whether ${
        shortName(caller)
      } has to wait for the main thread on thread ${thread.index}, or can pass the work to it and go on.`,
  };
}

/** The one other thread that waits for a lock in a member of a class within which the main thread waits. */
function sameClass(own: readonly ReportFrame[], others: readonly Other[]): Peer | null {
  const ofMain = within(own);
  const found = others.flatMap(({ thread, frames, waited }) => {
    if (waited === null || !forHolder.test(waited)) return [];
    // The member that takes the lock.
    const taker = within(frames).find(({ type }) => type !== null);
    const same = taker === undefined
      ? undefined
      : ofMain.find(({ type, title }) => type === taker.type && title === taker.title);
    // Both at the same place wait for a third one.
    return same === undefined || same.symbol === taker!.symbol
      ? []
      : [{ thread, symbol: taker!.symbol, ofMain: same.symbol }];
  });
  if (found.length !== 1) return null;
  const [{ thread, symbol, ofMain: member }] = found;
  return {
    thread,
    words: sentence(
      `${threadWords(thread)} waited for a lock in ${
        shortName(symbol)
      }, while the main thread waited within ${
        shortName(member)
      }, of the same class: each may have waited for the other; who held the lock is not in the report`,
    ),
    causes: [
      `a deadlock, if the main thread waited for what thread ${thread.index} did, and held the lock that that one waited for`,
    ],
    next: `See the stacks of both threads, the main one and ${thread.index}.`,
  };
}

/** The one other thread within a member of the class in a member of which the main thread waits for a lock, which it does not
 * wait for itself. */
function holder(own: readonly ReportFrame[], others: readonly Other[]): Peer | null {
  const [taker] = within(own);
  if (taker?.type == null) return null;
  const found = others.flatMap(({ thread, frames, waited }) => {
    if (waited !== null && forHolder.test(waited)) return [];
    const same = frames.map((frame) => functionOf(frame, null)).find((symbol) =>
      symbol !== null && classOf(symbol) === taker.type
    );
    return same == null ? [] : [{ thread, frames, same }];
  });
  if (found.length !== 1) return null;
  const [{ thread, frames, same }] = found;
  const wait = waitOf(frames);
  const doing = wait === null ? "" : `, ${wait.meaning}`;
  return {
    thread,
    words: sentence(
      `${threadWords(thread)} was within ${shortName(same)}${doing}, of the same class as ${
        shortName(taker.symbol)
      }, in which the main thread waited for a lock: it may hold that lock; who held it is not in the report`,
    ),
    causes: [],
    next: "",
  };
}

/** The one other thread that waits for a dispatch queue, where the main thread waits for one. */
function bothSync(own: readonly ReportFrame[], others: readonly Other[]): Peer | null {
  const isSync = (frames: readonly ReportFrame[]): boolean =>
    frames.slice(0, PEER_DEPTH).some(({ symbol }) => symbol !== null && syncs.test(symbol));
  if (!isSync(own)) return null;
  const found = others.filter(({ frames, waited }) => waited === "queue" && isSync(frames));
  if (found.length !== 1) return null;
  const [{ thread, frames }] = found;
  return {
    thread,
    words: sentence(
      `${threadWords(thread)} waited for a dispatch queue too${
        placeOf(frames, null)
      }, while the main thread did${
        placeOf(own, null)
      }: which queues these are is not in the report; if one is the main queue and the other that of thread ${thread.index}, neither could go on`,
    ),
    causes: [],
    next: "",
  };
}

/** The one other thread that waits for a lock in a library of the system within which the main thread waits. */
function sameLibrary(own: readonly ReportFrame[], others: readonly Other[]): Peer | null {
  const ofMain = within(own).filter(({ isSystem, title }) =>
    isSystem && !userInterface.test(title)
  );
  const found = others.flatMap(({ thread, frames, waited }) => {
    const taker = waited !== null && forHolder.test(waited) ? within(frames)[0] : undefined;
    const same = taker === undefined
      ? undefined
      : ofMain.find(({ title, symbol }) => title === taker.title && symbol !== taker.symbol);
    return same === undefined ? [] : [{ thread, taker: taker!, same }];
  });
  if (found.length !== 1) return null;
  const [{ thread, taker, same }] = found;
  return {
    thread,
    words: sentence(
      `${threadWords(thread)} waited for a lock in ${
        shortName(taker.symbol)
      }, while the main thread waited within ${
        shortName(same.symbol)
      }, also of ${same.title}: whether one waited for the other is not in the report`,
    ),
    causes: [],
    next: "",
  };
}

/** Libraries that a main thread is within whatever it does. */
const userInterface =
  /^(?:com\.apple\.)?(?:UIKit|UIKitCore|AppKit|SwiftUI|HIToolbox|GraphicsServices)$/;
