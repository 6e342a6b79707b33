// Lets processes ask each other for what they do not use: one asks about a fund, the others give their free part back
// to the database and answer, even when there was none. The questions are notices and may be lost; only the lease
// decides.

import type { Clock } from '../../platform/clock.ts';
import type { Notices } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';

/** Answers take milliseconds; only a process that is dead or very busy gives none. */
const ASK_PATIENCE_MS = 500;
const HURRIED_PATIENCE_MS = 150;

type Question = Readonly<{
  fundId: string;
  /** How many other processes have a slice of the fund. */
  sharers: number;
  isHurried: boolean;
}>;

export type SliceExchange = Readonly<{
  /** Resolves to true when all processes that share the fund have answered, and to false after a wait. */
  askOthers(question: Question): Promise<boolean>;
  onAsked(handler: (fundId: string) => void): void;
  /** Tells that everything free has gone back. */
  tellReturned(fundId: string): void;
}>;

type SliceExchangeInput = Readonly<{
  /** One topic for each kind of fund. */
  topic: string;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  processId: () => string;
}>;

export function openSliceExchange(input: SliceExchangeInput): SliceExchange {
  const { topic, notices, clock, logger, processId } = input;
  const waiting = new Map<string, (sender: string) => void>();
  let answer: (fundId: string) => void = () => {};

  notices.subscribe(topic, (payload) => {
    const [verb, sender, fundId] = payload.split(' ');
    if (sender === undefined || sender === processId() || fundId === undefined) return;
    if (verb === 'ask') answer(fundId);
    else waiting.get(fundId)?.(sender);
  });

  const publish = (verb: 'ask' | 'returned', fundId: string): void => {
    notices.publish(topic, `${verb} ${processId()} ${fundId}`).catch((error: unknown) => {
      logger.debug({ error: asError(error) }, 'a notice about slices was not sent');
    });
  };

  return {
    async askOthers({ fundId, sharers, isHurried }) {
      const answered = new Set<string>();
      const allAnswered = new Promise<boolean>((resolve) => {
        waiting.set(fundId, (sender) => {
          answered.add(sender);
          if (answered.size >= sharers) resolve(true);
        });
      });
      publish('ask', fundId);
      const patience = clock.sleep(isHurried ? HURRIED_PATIENCE_MS : ASK_PATIENCE_MS).then(() => false);
      const hasHeardAll = await Promise.race([allAnswered, patience]);
      waiting.delete(fundId);
      return hasHeardAll;
    },
    onAsked: (handler) => {
      answer = handler;
    },
    tellReturned: (fundId) => publish('returned', fundId),
  };
}

export const ACCOUNT_SLICES_TOPIC = 'slices';

/** Makes every process, this one included, give back what it does not use of an account. */
export const recallSlices = (notices: Notices, accountId: string): Promise<void> =>
  notices.publish(ACCOUNT_SLICES_TOPIC, `ask nobody ${accountId}`);
