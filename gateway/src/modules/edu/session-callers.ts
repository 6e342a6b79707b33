// Finds the caller behind a session's token: the organization pays, the student calls, and the limits of both apply.

import type { AllowedModels } from '../../canonical/allowed-models.ts';
import type { Caller } from '../../canonical/caller.ts';
import { inCheckingOrder, type SpendCap } from '../../canonical/spend-cap.ts';
import { temporaryOutage } from '../../errors/api-error.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EduHashes } from './secrets.ts';
import { type FoundSessionRow, findSession } from './store/sessions.ts';

/**
 * What an organization decides for everybody who calls in its name. Code that changes it must have its cached callers
 * dropped.
 */
export type OrgRules = Readonly<{
  capsOf(orgId: string, studentId: string): Promise<readonly SpendCap[]>;
  modelsOf(orgId: string): Promise<AllowedModels | null>;
}>;

export type SessionCallers = Readonly<{
  isPlausible(token: string): boolean;
  /** Null when no valid session has this token. */
  load(token: string): Promise<Caller | null>;
}>;

type SessionCallersOptions = Readonly<{ database: Database; hashes: EduHashes; rules: OrgRules }>;

export function createSessionCallers({ database, hashes, rules }: SessionCallersOptions): SessionCallers {
  const load = async (token: string): Promise<Caller | null> => {
    const row = await findSession(database, hashes.token(token));
    if (row === null) return null;
    const { orgId, studentId } = row;
    const [caps, models] = await Promise.all([rules.capsOf(orgId, studentId), rules.modelsOf(orgId)]);
    return toCaller(row, caps, models);
  };
  return {
    isPlausible: hashes.isToken,
    load: (token) =>
      load(token).catch((error: unknown) => {
        const message = 'Sessions cannot be checked at the moment. Try again shortly.';
        throw temporaryOutage(message, 'the session could not be read', error);
      }),
  };
}

function toCaller(row: FoundSessionRow, caps: readonly SpendCap[], allowedModels: AllowedModels | null): Caller {
  const countOf = (max: bigint | null): number | null => (max === null ? null : Number(max));
  return {
    keyId: row.id,
    keyType: 'standard',
    userId: row.studentId,
    accountId: row.orgId,
    isSuspended: row.isSuspended,
    expiresAtMs: row.expiresAt.getTime(),
    allowedCidrs: [],
    hasFreeFallback: true,
    allowedModels,
    caps: inCheckingOrder([...caps, ...spendCapOf(row)]),
    student: { requestsMax: countOf(row.requestsMax), tokensMax: countOf(row.tokensMax) },
  };
}

function spendCapOf({ id, createdAt, spendMaxNanoUsd }: FoundSessionRow): readonly SpendCap[] {
  if (spendMaxNanoUsd === null) return [];
  return [
    {
      kind: 'cap',
      scope: 'session',
      scopeId: id,
      window: 'never',
      limitNanoUsd: spendMaxNanoUsd,
      sinceMs: createdAt.getTime(),
      covers: { keyId: id },
    },
  ];
}
