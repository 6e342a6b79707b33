// Calls that were accepted and whose records are not in the database yet. A client that lost the connection to a call
// may ask for it by its id at any process: a process that does not know the call asks the others. Nothing is written
// for this, so an ordinary call costs one entry in a map.

import { randomUUID } from 'node:crypto';
import type { GenerationRecord } from '../../canonical/generation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Bus } from '../../platform/redis/bus.ts';

/** What can be said of a call before its record can be read: it has cost nothing, or its cost is not known yet. */
export type CallView = Pick<
  GenerationRecord,
  | 'id'
  | 'accountId'
  | 'userId'
  | 'keyId'
  | 'operation'
  | 'modelId'
  | 'providerName'
  | 'appName'
  | 'finishReason'
  | 'upstreamStatus'
  | 'isStream'
  | 'isFailover'
  | 'createdAtMs'
  | 'durationMs'
  | 'firstTokenMs'
  | 'attemptLog'
  | 'autoDecision'
  | 'reviews'
> &
  Readonly<{ isOpen: boolean }>;

export type OpenCalls = Readonly<{
  open(generationId: string, view: () => CallView): void;
  /** With a view where its record is on the way to the database; null where the record is there, or there is none. */
  close(generationId: string, view: CallView | null): void;
  find(accountId: string, generationId: string): Promise<CallView | null>;
}>;

/** Records that no client waits for are written much sooner than this. */
const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;
const ANSWER_WAIT_MS = 250;
const QUESTION = 'call-sought';
const ANSWER = 'call-found';

/**
 * Emptied when it leaves the map. The old tables of a map that has grown stay linked to the later ones, and one that is
 * in the old generation of the heap keeps everything alive that was in the later ones.
 */
type Entry = { view: (() => CallView) | null };

type Peers = Pick<Bus, 'tell' | 'subscribe' | 'processCount'>;

/** `bus` is null where this is the only process. */
export function createOpenCalls(bus: Peers | null, clock: Clock): OpenCalls {
  const views = new Map<string, Entry>();
  const ended = new Map<string, number>();

  const local = (accountId: string, generationId: string): CallView | null => {
    const view = views.get(generationId)?.view?.() ?? null;
    return view?.accountId === accountId ? view : null;
  };
  const forget = (generationId: string): void => {
    const entry = views.get(generationId);
    if (entry === undefined) return;
    entry.view = null;
    views.delete(generationId);
    ended.delete(generationId);
  };
  const forgetOld = (nowMs: number): void => {
    for (const [id, endedMs] of ended) {
      if (ended.size <= KEPT_MAX && nowMs - endedMs < KEPT_MS) return;
      forget(id);
    }
  };
  const ask = bus === null ? null : askPeers(bus, clock, local);

  return {
    open: (generationId, view) => views.set(generationId, { view }),
    close(generationId, view) {
      forget(generationId);
      if (view === null) return;
      const nowMs = clock.monotonicMs();
      views.set(generationId, { view: () => view });
      ended.set(generationId, nowMs);
      forgetOld(nowMs);
    },
    async find(accountId, generationId) {
      return local(accountId, generationId) ?? (await ask?.(accountId, generationId)) ?? null;
    },
  };
}

type Look = (accountId: string, generationId: string) => CallView | null;

function askPeers(bus: Peers, clock: Clock, local: Look): (accountId: string, id: string) => Promise<CallView | null> {
  const waiting = new Map<string, (view: CallView) => void>();
  bus.subscribe(QUESTION, (text) => {
    const [question, accountId, id] = text.split(' ');
    const view = accountId === undefined || id === undefined ? null : local(accountId, id);
    if (view !== null) bus.tell(ANSWER, JSON.stringify({ question, view }));
  });
  bus.subscribe(ANSWER, (text) => {
    // Only from a process of this gateway, and only for a question that is open here.
    const { question, view } = JSON.parse(text) as { question: string; view: CallView };
    waiting.get(question)?.(view);
  });
  return async (accountId, id) => {
    if (bus.processCount() < 2 || /\s/.test(id)) return null;
    const question = randomUUID();
    const answer = new Promise<CallView>((resolve) => waiting.set(question, resolve));
    bus.tell(QUESTION, `${question} ${accountId} ${id}`);
    try {
      return await Promise.race([answer, clock.sleep(ANSWER_WAIT_MS).then(() => null)]);
    } finally {
      waiting.delete(question);
    }
  };
}
