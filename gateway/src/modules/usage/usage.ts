// What calls have consumed, read back for those who paid for them.

import { assert } from '../../platform/assert.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type Period, periodStartMs } from './period.ts';
import * as store from './store.ts';

export type PeriodFigures<Figure> = Readonly<{ total: Figure }> & Readonly<Record<Period, Figure>>;

export type KeyUsage = Readonly<{ spentNanoUsd: PeriodFigures<NanoUsd>; requests: PeriodFigures<number> }>;

export type Absorbed = Readonly<{ userId: string; absorbedNanoUsd: NanoUsd; calls: number }>;

export type Usage = Readonly<{
  findGeneration(accountId: string, generationId: string): Promise<store.GenerationRow | null>;
  ofKey(accountId: string, keyId: string, nowMs: number): Promise<KeyUsage>;
  absorbedByUser(): Promise<readonly Absorbed[]>;
}>;

export function createUsage(queryable: Queryable): Usage {
  return {
    findGeneration: (accountId, generationId) => store.findGeneration(queryable, accountId, generationId),
    async ofKey(accountId, keyId, nowMs) {
      const row = await store.readKeyUsage(queryable, {
        accountId,
        keyId,
        dayMs: periodStartMs('daily', nowMs),
        weekMs: periodStartMs('weekly', nowMs),
        monthMs: periodStartMs('monthly', nowMs),
      });
      assert(row !== null, 'an aggregate has one row');
      return toKeyUsage(row);
    },
    async absorbedByUser() {
      const rows = await store.readAbsorbed(queryable);
      return rows.map((row) => ({
        userId: row.user_id,
        absorbedNanoUsd: row.absorbed_nano_usd,
        calls: Number(row.calls),
      }));
    },
  };
}

function toKeyUsage(row: store.KeyUsageRow): KeyUsage {
  return {
    spentNanoUsd: {
      total: row.usage,
      daily: row.usage_daily,
      weekly: row.usage_weekly,
      monthly: row.usage_monthly,
    },
    requests: {
      total: Number(row.requests),
      daily: Number(row.requests_daily),
      weekly: Number(row.requests_weekly),
      monthly: Number(row.requests_monthly),
    },
  };
}
