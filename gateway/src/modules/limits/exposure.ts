// What a user's calls cost us without being paid for: streams that were left, or that ran dry. Each hour has an
// allowance, in money and in share of requests; beyond it the user is kept out for a while. Every process counts by
// itself, and tells the others whom it has restricted.

import type { Clock } from '../../platform/clock.ts';
import type { Notices } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';

export type ExposureRules = Readonly<{
  costNanoUsd: NanoUsd;
  /** Of requests, counted once there are `requestsMin` of them. */
  percent: number;
  requestsMin: number;
  blockMs: number;
}>;

export type Exposure = Readonly<{
  /** Counts a request; answers how long the user is still restricted, 0 when not at all. */
  enter(userId: string): number;
  /** The user's call has cost us this much and will not be paid for. */
  add(userId: string, costNanoUsd: NanoUsd): void;
}>;

export type ExposureInput = Readonly<{
  clock: Clock;
  notices: Notices;
  logger: Logger;
  /** Asked each time, so that the operator's changes count at once. */
  rules: () => ExposureRules;
}>;

const TOPIC = 'restrictions';
const HOUR_MS = 3_600_000;
const USERS_MAX = 250_000;

type Figures = { requests: number; unpaid: number; costNanoUsd: NanoUsd };

export function createExposure({ clock, notices, logger, rules }: ExposureInput): Exposure {
  const blockedUntilMs = new Map<string, number>();
  let hour = -1;
  let users = new Map<string, Figures>();

  notices.subscribe(TOPIC, (payload) => {
    const [userId, untilMs] = payload.split(' ');
    if (userId !== undefined && Number.isFinite(Number(untilMs))) restrict(userId, Number(untilMs));
  });

  function restrict(userId: string, untilMs: number): void {
    blockedUntilMs.set(userId, Math.max(untilMs, blockedUntilMs.get(userId) ?? 0));
    // The count starts anew, so that a user comes back to a whole allowance.
    users.delete(userId);
  }

  function figuresOf(userId: string): Figures {
    const known = users.get(userId);
    if (known !== undefined) return known;
    if (users.size >= USERS_MAX) users.clear();
    const figures = { requests: 0, unpaid: 0, costNanoUsd: 0n };
    users.set(userId, figures);
    return figures;
  }

  function turnHour(nowMs: number): void {
    const index = Math.floor(nowMs / HOUR_MS);
    if (index === hour) return;
    hour = index;
    users = new Map();
    for (const [userId, untilMs] of blockedUntilMs) if (untilMs <= nowMs) blockedUntilMs.delete(userId);
  }

  return {
    enter(userId) {
      const nowMs = clock.nowMs();
      turnHour(nowMs);
      const untilMs = blockedUntilMs.size === 0 ? 0 : (blockedUntilMs.get(userId) ?? 0);
      if (nowMs < untilMs) return untilMs - nowMs;
      figuresOf(userId).requests += 1;
      return 0;
    },
    add(userId, costNanoUsd) {
      const nowMs = clock.nowMs();
      turnHour(nowMs);
      const figures = figuresOf(userId);
      figures.unpaid += 1;
      figures.costNanoUsd += costNanoUsd;
      const allowed = rules();
      if (!isBeyond(figures, allowed)) return;
      const untilMs = nowMs + allowed.blockMs;
      logger.warn({ userId, unpaid: figures.unpaid, costNanoUsd: figures.costNanoUsd }, 'a user is restricted');
      restrict(userId, untilMs);
      notices.publish(TOPIC, `${userId} ${untilMs}`).catch((error: unknown) => {
        logger.warn({ error: error instanceof Error ? error : undefined }, 'a restriction was not announced');
      });
    },
  };
}

function isBeyond(figures: Figures, rules: ExposureRules): boolean {
  if (figures.costNanoUsd > rules.costNanoUsd) return true;
  return figures.requests >= rules.requestsMin && figures.unpaid * 100 > figures.requests * rules.percent;
}
