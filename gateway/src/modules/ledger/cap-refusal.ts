// The error of a call that a cap or a breaker refuses. A breaker limits the rate of spending and resets by itself (429,
// or 503 for the whole platform); a cap limits money and needs a remedy, which its code names (402).

import type { SpendCap } from '../../canonical/spend-cap.ts';
import { windowEndMs } from '../../canonical/spend-window.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Specification, Limits: the emergency brake asks to come back after 30 or 300 seconds. */
const BRAKE_MINUTE_SECONDS = 30;
const BRAKE_HOUR_SECONDS = 300;
/** Clients wait this long by themselves; for a longer wait they are told not to retry. */
const RETRY_SECONDS_MAX = 60;

const PERIODS: Readonly<Record<SpendCap['window'], string>> = {
  minute: 'minute',
  hour: 'hourly',
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  never: 'total',
};

export function capRefusal(cap: SpendCap, nowMs: number): ApiError {
  if (cap.kind === 'breaker') return cap.scope === 'platform' ? brakeRefusal(cap) : breakerRefusal(cap, nowMs);
  const period = PERIODS[cap.window];
  const rest = 'cannot cover the estimated maximum cost of this request';
  switch (cap.scope) {
    case 'session':
      return new ApiError('http_429', `What is left of this session's spending quota ${rest}. Ask for fewer tokens.`, {
        isTerminal: true,
      });
    case 'key':
      return new ApiError(
        'spend_limit_exceeded',
        `What is left of this key's ${period} spend limit ${rest}. Raise the limit, or ask for fewer tokens.`,
      );
    case 'member':
      return new ApiError(
        'budget_cap_reached',
        `What is left of your ${period} budget ${rest}. Ask an administrator of your organization to raise it.`,
      );
    case 'team':
      return new ApiError(
        'budget_cap_reached',
        `What is left of your team's ${period} budget ${rest}. Ask an administrator of your organization to raise it.`,
      );
    default:
      return new ApiError(
        'budget_cap_reached',
        `What is left of the account's ${period} spend cap ${rest}. Raise it, or ask for fewer tokens.`,
      );
  }
}

function brakeRefusal(cap: SpendCap): ApiError {
  return new ApiError(
    'http_503',
    `Spending on this service is paused for safety (window: ${cap.window}). Wait as long as Retry-After says.`,
    {
      retryAfterSeconds: cap.window === 'minute' ? BRAKE_MINUTE_SECONDS : BRAKE_HOUR_SECONDS,
      isTerminal: true,
    },
  );
}

function breakerRefusal(cap: SpendCap, nowMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((windowEndMs(cap.window, nowMs) - nowMs) / 1000));
  return new ApiError('http_429', `Spend circuit breaker tripped (scope: ${cap.scope}, window: ${cap.window})`, {
    retryAfterSeconds,
    isTerminal: retryAfterSeconds > RETRY_SECONDS_MAX,
  });
}
