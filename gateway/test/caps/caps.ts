// Caps for tests: ordinary in everything that a test does not state, each with a scope of its own.

import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { newId } from '../../src/platform/ids.ts';

export function capOf(limitNanoUsd: bigint, changes: Partial<SpendCap> = {}): SpendCap {
  const scopeId = changes.scopeId ?? newId('key');
  return {
    kind: 'cap',
    scope: 'key',
    scopeId,
    window: 'month',
    limitNanoUsd,
    sinceMs: 0,
    covers: { keyId: scopeId },
    ...changes,
  };
}

export function breakerOf(limitNanoUsd: bigint, changes: Partial<SpendCap> = {}): SpendCap {
  const scopeId = changes.scopeId ?? newId('usr');
  const subject = { scope: 'user', scopeId, covers: { userIds: [scopeId] } } as const;
  return capOf(limitNanoUsd, { kind: 'breaker', window: 'hour', ...subject, ...changes });
}
