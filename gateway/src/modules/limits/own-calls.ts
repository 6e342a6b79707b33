// How many calls went over an organization's own upstreams today. They cost nothing here, and each leaves a record that
// is kept, so a day has room for a number of them: for each person in an account, and for five times as many in all.
// Every process counts by itself.

import type { Caller } from '../../canonical/caller.ts';
import { windowEndMs, windowStartMs } from '../../canonical/spend-window.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';

type Person = Pick<Caller, 'accountId' | 'userId'>;

type OwnCallsInput = Readonly<{
  clock: Clock;
  /** The operator's figure for one person. */
  perDay(): number;
  hasHadCredit(accountId: string): Promise<boolean>;
}>;

const BEFORE_CREDIT_PER_DAY = 2_000;
const PEOPLE_OF_ACCOUNT = 5;
/** Bounds memory; beyond it counting begins anew. */
const COUNTS_MAX = 200_000;

export class OwnCalls {
  readonly #input: OwnCallsInput;
  readonly #counts = new Map<string, number>();
  #dayMs = 0;

  constructor(input: OwnCallsInput) {
    this.#input = input;
  }

  /** A call has ended, and its record is written. */
  note({ accountId, userId }: Person): void {
    this.#begin();
    if (this.#counts.size >= COUNTS_MAX) this.#counts.clear();
    for (const name of [accountId, `${accountId} ${userId}`]) this.#counts.set(name, this.#of(name) + 1);
  }

  /** Throws 429. Whether an account has had credit is looked up only where it matters. */
  admit(person: Person): void | Promise<void> {
    const perDay = this.#input.perDay();
    if (!this.hasRoom(person, perDay)) throw this.#refusal(perDay);
    const beforeCredit = Math.min(perDay, BEFORE_CREDIT_PER_DAY);
    if (this.hasRoom(person, beforeCredit)) return;
    return this.#input.hasHadCredit(person.accountId).then((hasHadCredit) => {
      if (!hasHadCredit) throw this.#refusal(beforeCredit, ' Before its first credit an account has fewer.');
    });
  }

  hasRoom({ accountId, userId }: Person, perDay = this.#input.perDay()): boolean {
    this.#begin();
    return this.#of(`${accountId} ${userId}`) < perDay && this.#of(accountId) < perDay * PEOPLE_OF_ACCOUNT;
  }

  #of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #begin(): void {
    const dayMs = windowStartMs('day', this.#input.clock.nowMs());
    if (dayMs === this.#dayMs) return;
    this.#dayMs = dayMs;
    this.#counts.clear();
  }

  #refusal(perDay: number, advice = ''): ApiError {
    const nowMs = this.#input.clock.nowMs();
    const message =
      `The calls over own upstreams that a day has room for are used up: ${perDay} for a person, ` +
      `${perDay * PEOPLE_OF_ACCOUNT} for all of an account.${advice}`;
    return new ApiError('http_429', message, {
      retryAfterSeconds: Math.ceil((windowEndMs('day', nowMs) - nowMs) / 1_000),
    });
  }
}
