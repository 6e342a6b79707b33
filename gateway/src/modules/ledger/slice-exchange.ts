// How processes lend each other what they do not use: one asks about an account, the others give their free part back
// to the database and say so. It travels as notices, so it is a courtesy that may be lost; only the lease decides.

import type { Clock } from '../../platform/clock.ts';
import type { Notices } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { asError } from './ledger-error.ts';

const TOPIC = 'slices';
const ASK_PATIENCE_MS = 150;

export type SliceExchange = Readonly<{
  /** Resolves when some process has given back, or after a short wait. */
  askOthers(accountId: string): Promise<void>;
  onAsked(handler: (accountId: string) => void): void;
  tellReturned(accountId: string): void;
}>;

export type SliceExchangeInput = Readonly<{
  notices: Notices;
  clock: Clock;
  logger: Logger;
  processId: () => string;
}>;

export function openSliceExchange(input: SliceExchangeInput): SliceExchange {
  const { notices, clock, logger, processId } = input;
  const waiting = new Map<string, () => void>();
  let answer: (accountId: string) => void = () => {};

  notices.subscribe(TOPIC, (payload) => {
    const [verb, sender, accountId] = payload.split(' ');
    if (sender === processId() || accountId === undefined) return;
    if (verb === 'ask') answer(accountId);
    else waiting.get(accountId)?.();
  });

  const publish = (verb: 'ask' | 'returned', accountId: string): void => {
    notices.publish(TOPIC, `${verb} ${processId()} ${accountId}`).catch((error: unknown) => {
      logger.debug({ error: asError(error) }, 'a notice about slices was not sent');
    });
  };

  return {
    async askOthers(accountId) {
      const returned = new Promise<void>((resolve) => waiting.set(accountId, resolve));
      publish('ask', accountId);
      await Promise.race([returned, clock.sleep(ASK_PATIENCE_MS)]);
      waiting.delete(accountId);
    },
    onAsked: (handler) => {
      answer = handler;
    },
    tellReturned: (accountId) => publish('returned', accountId),
  };
}
