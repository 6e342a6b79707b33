// How processes lend each other what they do not use: one asks about a fund, the others give their free part back to
// the database and say so. It travels as notices, so it is a courtesy that may be lost; only the lease decides.

import type { Clock } from '../../platform/clock.ts';
import type { Notices } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { asError } from './ledger-error.ts';

const ASK_PATIENCE_MS = 150;

export type SliceExchange = Readonly<{
  /** Resolves when some process has given back, or after a short wait. */
  askOthers(fundId: string): Promise<void>;
  onAsked(handler: (fundId: string) => void): void;
  tellReturned(fundId: string): void;
}>;

export type SliceExchangeInput = Readonly<{
  /** One for each kind of fund. */
  topic: string;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  processId: () => string;
}>;

export function openSliceExchange(input: SliceExchangeInput): SliceExchange {
  const { topic, notices, clock, logger, processId } = input;
  const waiting = new Map<string, () => void>();
  let answer: (fundId: string) => void = () => {};

  notices.subscribe(topic, (payload) => {
    const [verb, sender, fundId] = payload.split(' ');
    if (sender === processId() || fundId === undefined) return;
    if (verb === 'ask') answer(fundId);
    else waiting.get(fundId)?.();
  });

  const publish = (verb: 'ask' | 'returned', fundId: string): void => {
    notices.publish(topic, `${verb} ${processId()} ${fundId}`).catch((error: unknown) => {
      logger.debug({ error: asError(error) }, 'a notice about slices was not sent');
    });
  };

  return {
    async askOthers(fundId) {
      const returned = new Promise<void>((resolve) => waiting.set(fundId, resolve));
      publish('ask', fundId);
      await Promise.race([returned, clock.sleep(ASK_PATIENCE_MS)]);
      waiting.delete(fundId);
    },
    onAsked: (handler) => {
      answer = handler;
    },
    tellReturned: (fundId) => publish('returned', fundId),
  };
}

/** Has every process, this one included, give back what it does not use of a fund. */
export function recallSlices(notices: Notices, topic: string, fundId: string): Promise<void> {
  return notices.publish(topic, `ask nobody ${fundId}`);
}
