// GET /v1/key and GET /v1/auth/key: what the calling key is and what it has used. The second has only the five fields
// that the specification promises, and is not counted against the rate limit.

import type { Caller } from '../../canonical/caller.ts';
import { parsePeriod } from '../../canonical/spend-window.ts';
import type { AuthKeyAnswer, KeyInfoAnswer, RateLimitInfo } from '../../contract/account.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Key } from '../../modules/identity/store/keys.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { isFreeTier, type RequestRates, requestsPerMinute } from '../../modules/limits/tier.ts';
import type { KeyUsage, UsageReports } from '../../modules/usage/usage.ts';
import { unauthorized } from '../../pipeline/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import type { CallerHandler } from '../protect.ts';

type KeyInfoServices = Readonly<{
  identity: Identity;
  ledger: Pick<Ledger, 'account' | 'used'>;
  usage: UsageReports;
  requestRates(): RequestRates;
  clock: Clock;
}>;

type Facts = Readonly<{
  key: Key;
  usage: KeyUsage;
  isFreeTier: boolean;
  remainingNanoUsd: NanoUsd;
  rateLimit: RateLimitInfo;
}>;

export const readKeyInfo =
  (services: KeyInfoServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, keyInfoAnswer(await readFacts(caller, services)));
  };

export const readAuthKey =
  (services: KeyInfoServices): CallerHandler =>
  async (exchange, caller) => {
    const { key, usage, isFreeTier, rateLimit } = await readFacts(caller, services);
    const answer: AuthKeyAnswer = {
      data: {
        label: key.name,
        usage: usdNumber(usage.spentNanoUsd.total),
        limit: usdOrNull(key.spendLimitNanoUsd),
        is_free_tier: isFreeTier,
        rate_limit: rateLimit,
      },
    };
    sendJson(exchange, 200, answer);
  };

async function readFacts(caller: Caller, services: KeyInfoServices): Promise<Facts> {
  const [key, account, usage, remainder] = await Promise.all([
    services.identity.findKey({ scope: { accountId: caller.accountId }, keyId: caller.keyId }),
    services.ledger.account(caller.accountId),
    services.usage.ofKey(caller.accountId, caller.keyId, services.clock.nowMs()),
    remainderOf(caller, services.ledger),
  ]);
  if (key === null) throw unauthorized();
  const rateLimit = {
    requests: requestsPerMinute(services.requestRates(), account),
    interval: '1m',
    note: 'Counted per user, over all keys, in UTC minutes.',
  };
  const remainingNanoUsd = remainder ?? account.spendableNanoUsd;
  return { key, usage, isFreeTier: isFreeTier(account), remainingNanoUsd, rateLimit };
}

function keyInfoAnswer({ key, usage, isFreeTier, remainingNanoUsd, rateLimit }: Facts): KeyInfoAnswer {
  const { spentNanoUsd, requests } = usage;
  const isManagement = key.keyType === 'management';
  return {
    data: {
      label: key.name,
      limit: usdOrNull(key.spendLimitNanoUsd),
      limit_remaining: usdNumber(remainingNanoUsd),
      limit_reset: parsePeriod(key.spendLimitPeriod),
      expires_at: key.expiresAt?.toISOString() ?? null,
      is_free_tier: isFreeTier,
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

/** What the key's own limit leaves after what is spent and held, as a call would find it. Null without a limit. */
async function remainderOf(caller: Caller, ledger: Pick<Ledger, 'used'>): Promise<NanoUsd | null> {
  const cap = caller.caps.find(({ kind, scope }) => kind === 'cap' && scope === 'key');
  if (cap === undefined) return null;
  const usedNanoUsd = await ledger.used(cap);
  return usedNanoUsd >= cap.limitNanoUsd ? 0n : cap.limitNanoUsd - usedNanoUsd;
}

const usdOrNull = (amount: NanoUsd | null): number | null => (amount === null ? null : usdNumber(amount));
