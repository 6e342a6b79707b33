// GET /v1/key and GET /v1/auth/key: what the calling key is and what it has used. The second is the first cut down to
// the five fields that are promised, and is not counted against the rate limit.

import type { Caller } from '../../canonical/caller.ts';
import type { AuthKeyAnswer, KeyInfoAnswer, RateLimitInfo } from '../../contract/account.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity, Key } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { isFreeTier, type RequestRates, requestsPerMinute } from '../../modules/limits/tier.ts';
import { parsePeriod } from '../../modules/usage/period.ts';
import type { KeyUsage, Usage } from '../../modules/usage/usage.ts';
import { unauthorized } from '../../pipeline/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import { isoTime } from '../key-object.ts';
import type { CallerHandler } from '../protect.ts';

export type KeyInfoServices = Readonly<{
  identity: Identity;
  ledger: Pick<Ledger, 'account'>;
  usage: Usage;
  requestRates(): RequestRates;
  clock: Clock;
}>;

type Facts = Readonly<{ key: Key; usage: KeyUsage; balanceNanoUsd: NanoUsd; rateLimit: RateLimitInfo }>;

export const readKeyInfo =
  (services: KeyInfoServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, keyInfoAnswer(await readFacts(caller, services)));
  };

export const readAuthKey =
  (services: KeyInfoServices): CallerHandler =>
  async (exchange, caller) => {
    const { key, usage, balanceNanoUsd, rateLimit } = await readFacts(caller, services);
    const answer: AuthKeyAnswer = {
      data: {
        label: key.name,
        usage: usdNumber(usage.spentNanoUsd.total),
        limit: usdOrNull(key.spendLimitNanoUsd),
        is_free_tier: isFreeTier(balanceNanoUsd),
        rate_limit: rateLimit,
      },
    };
    sendJson(exchange, 200, answer);
  };

async function readFacts(caller: Caller, services: KeyInfoServices): Promise<Facts> {
  const [key, account, usage] = await Promise.all([
    services.identity.findKey(caller.userId, caller.keyId),
    services.ledger.account(caller.accountId),
    services.usage.ofKey(caller.accountId, caller.keyId, services.clock.nowMs()),
  ]);
  if (key === null) throw unauthorized();
  const rateLimit = {
    requests: requestsPerMinute(services.requestRates(), account.balanceNanoUsd),
    interval: '1m',
    note: 'Counted per user, over all keys, in UTC minutes.',
  };
  return { key, usage, balanceNanoUsd: account.balanceNanoUsd, rateLimit };
}

function keyInfoAnswer({ key, usage, balanceNanoUsd, rateLimit }: Facts): KeyInfoAnswer {
  const { spentNanoUsd, requests } = usage;
  const isManagement = key.keyType === 'management';
  return {
    data: {
      label: key.name,
      limit: usdOrNull(key.spendLimitNanoUsd),
      limit_remaining: usdNumber(remainingNanoUsd(key, usage, balanceNanoUsd)),
      limit_reset: parsePeriod(key.spendLimitPeriod),
      expires_at: isoTime(key.expiresAtMs),
      is_free_tier: isFreeTier(balanceNanoUsd),
      is_management_key: isManagement,
      is_provisioning_key: isManagement,
      usage: usdNumber(spentNanoUsd.total),
      usage_daily: usdNumber(spentNanoUsd.daily),
      usage_weekly: usdNumber(spentNanoUsd.weekly),
      usage_monthly: usdNumber(spentNanoUsd.monthly),
      requests: requests.total,
      requests_daily: requests.daily,
      requests_weekly: requests.weekly,
      requests_monthly: requests.monthly,
      rate_limit: rateLimit,
      creator_user_id: key.userId,
      organization_id: key.accountId === key.userId ? null : key.accountId,
      workspace_id: null,
    },
  };
}

/** A limit without a period never resets, so everything ever spent counts against it. */
function remainingNanoUsd(key: Key, usage: KeyUsage, balanceNanoUsd: NanoUsd): NanoUsd {
  if (key.spendLimitNanoUsd === null) return balanceNanoUsd;
  const spent = usage.spentNanoUsd[parsePeriod(key.spendLimitPeriod) ?? 'total'];
  return spent >= key.spendLimitNanoUsd ? 0n : key.spendLimitNanoUsd - spent;
}

const usdOrNull = (amount: NanoUsd | null): number | null => (amount === null ? null : usdNumber(amount));
