// What every change of an organization has in common: an actor who may make it, a log entry, and cached callers that
// must be looked up again because their limits may have changed.

import type { AuditActor, AuditEntry } from '../../canonical/audit-entry.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import * as store from './store/organizations.ts';

export const OPERATOR: AuditActor = { userId: null, keyId: null, kind: 'operator' };

/** Who makes the change, and its scope: the whole organization, or one team. */
export type Authority = Readonly<{ actor: AuditActor; onlyTeamId: string | null }>;

export type OrgChangeOptions = Readonly<{
  database: Database;
  /** Writes to the log, in the transaction of the change. */
  record(transaction: Queryable, entry: AuditEntry): Promise<void>;
  /** Cached callers of this account, or of this person, must be looked up again. */
  forgetCallers(id: string): Promise<void>;
}>;

/** For a change that no caller notices. */
export const NOBODY = (): readonly string[] => [];

/**
 * Runs the changes of one organization one after the other; they apply from the next call on. `whose` says whose
 * callers are looked up again where that is not everybody's in the organization: a directory changes thousands of
 * people one by one, and the calls of all others must not read the database for each.
 */
export async function changeUnderLock<Result>(
  { database, forgetCallers }: OrgChangeOptions,
  orgId: string,
  run: (transaction: Queryable, organization: store.OrganizationRow) => Promise<Result>,
  whose: (result: Result) => readonly string[] = () => [orgId],
): Promise<Result> {
  const result = await database.transaction(async (transaction) => {
    const organization = await store.lockOrganization(transaction, orgId);
    if (organization === null) throw orgNotFound();
    return run(transaction, organization);
  });
  for (const id of whose(result)) await forgetCallers(id);
  return result;
}

/** The fields that differ, before and after; null when none does. */
export function difference(
  before: JsonObject,
  after: JsonObject,
): Readonly<{ before: JsonObject; after: JsonObject }> | null {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (names.length === 0) return null;
  const pick = (object: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, object[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

export const budgetNumber = (nanoUsd: NanoUsd | null): number | null => (nanoUsd === null ? null : usdNumber(nanoUsd));

export const orgNotFound = (): ApiError => new ApiError('http_404', 'There is no such organization.');
export const teamNotFound = (): ApiError => new ApiError('http_404', 'There is no such team.');
export const memberNotFound = (): ApiError => new ApiError('http_404', 'There is no such member.');
export const notYourTeam = (): ApiError =>
  new ApiError('http_403', 'A team_admin manages only the members of the own team.');
