// The record of a call that ends a reservation, ordinary in everything that a test does not change.

import type { GenerationRecord } from '../../src/canonical/generation.ts';
import type { PriceList } from '../../src/canonical/price.ts';
import { zeroUsage } from '../../src/canonical/usage.ts';
import type { Ledger, Reservation, Settlement } from '../../src/modules/ledger/ledger.ts';

export function recordOf(
  reservation: Pick<Reservation, 'generationId' | 'accountId'>,
  costNanoUsd: bigint,
  changes: Partial<GenerationRecord> = {},
): GenerationRecord {
  return {
    id: reservation.generationId,
    accountId: reservation.accountId,
    userId: 'usr-1',
    keyId: 'key-1',
    operation: 'chat',
    modelId: 'maker/model',
    providerName: 'maker',
    upstreamModel: 'model',
    appName: null,
    finishReason: 'stop',
    upstreamStatus: 200,
    isStream: false,
    isFailover: false,
    createdAtMs: 1_790_000_000_123,
    durationMs: 12,
    firstTokenMs: null,
    usage: { ...zeroUsage, promptTokens: 10, completionTokens: 5 },
    subtotalNanoUsd: costNanoUsd,
    cacheDiscountNanoUsd: 0n,
    costNanoUsd,
    absorbedNanoUsd: 0n,
    absorbedReason: null,
    markupNanoUsd: 0n,
    attempts: 1,
    attemptLog: null,
    autoDecision: null,
    reviews: null,
    ...changes,
  };
}

/** The settlement of a call, as something to wait for. */
export const settled = (
  ledger: Ledger,
  reservation: Reservation,
  record: GenerationRecord,
  priceList?: PriceList,
): Promise<Settlement> => new Promise((resolve) => ledger.settle(reservation, record, priceList, resolve));
