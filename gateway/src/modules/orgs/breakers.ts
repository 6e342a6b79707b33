// The spend breakers of an organization, its teams and its members. A member inherits from its team and a team from its
// organization, field by field; each compares the result with its own spending.

import {
  type BreakerChange,
  type BreakerLayer,
  type BreakerLevel,
  breakerCaps,
  type LevelBreaker,
  levelBreakers,
} from '../../canonical/breaker.ts';
import { NO_CAPS, type SpendCap } from '../../canonical/spend-cap.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import * as store from './store/breakers.ts';

export type { BreakerOwner } from './store/breakers.ts';

/** A breaker, with the team that its owner is or belongs to. */
export type OrgBreaker = LevelBreaker & Readonly<{ teamId: string | null }>;

export type LayerChange = Readonly<{ before: BreakerLayer; after: BreakerLayer }>;

export type OrgBreakers = Readonly<{
  /** Null when the organization has no such team or member. */
  find(owner: store.BreakerOwner): Promise<OrgBreaker | null>;
  /** Applies from the next call on. `log` runs in the same transaction, and only if something has changed. */
  change(
    owner: store.BreakerOwner,
    change: BreakerChange,
    log: (transaction: Queryable, change: LayerChange) => Promise<void>,
  ): Promise<OrgBreaker | null>;
}>;

type OrgBreakersOptions = Readonly<{
  database: Database;
  /** Cached callers of this account must be looked up again. */
  forgetCallers(accountId: string): Promise<void>;
}>;

export function createOrgBreakers({ database, forgetCallers }: OrgBreakersOptions): OrgBreakers {
  const find = async (owner: store.BreakerOwner): Promise<OrgBreaker | null> => {
    const row = await store.findLevels(database, owner);
    const breaker = row === null ? undefined : levelBreakers(levelsOf(owner.orgId, row)).at(-1);
    return row === null || breaker === undefined ? null : { ...breaker, teamId: row.teamId };
  };
  return {
    find,
    async change(owner, change, log) {
      const isChanged = await database.transaction(async (transaction) => {
        const before = await store.lockLayer(transaction, owner);
        if (before === null) return false;
        const after = { ...before, ...change };
        if (isSame(before, after)) return false;
        await store.writeLayer(transaction, owner, after);
        await log(transaction, { before, after });
        return true;
      });
      if (isChanged) await forgetCallers(owner.orgId);
      return find(owner);
    },
  };
}

/** The breakers over a user's calls for the organization: none, unless somebody has switched them on. */
export async function breakersOfMember(
  queryable: Queryable,
  orgId: string,
  userId: string,
): Promise<readonly SpendCap[]> {
  const row = await store.findLevelsOfUser(queryable, orgId, userId);
  if (row === null) return NO_CAPS;
  return levelBreakers(levelsOf(orgId, row)).flatMap(({ subject, settings }) => breakerCaps(subject, settings));
}

const isSame = (left: BreakerLayer, right: BreakerLayer): boolean =>
  left.isEnabled === right.isEnabled &&
  left.minuteNanoUsd === right.minuteNanoUsd &&
  left.hourNanoUsd === right.hourNanoUsd;

/**
 * From the organization down. A team's spending is that of calls made in it, even by people who have joined or left
 * since.
 */
function levelsOf(orgId: string, row: store.LevelsRow): readonly BreakerLevel[] {
  const levels: BreakerLevel[] = [
    {
      scope: 'org',
      scopeId: orgId,
      covers: { accountId: orgId },
      layer: { isEnabled: row.orgEnabled, minuteNanoUsd: row.orgMinute, hourNanoUsd: row.orgHour },
      switchedMs: row.orgSwitchedAt.getTime(),
    },
  ];
  if (row.teamId !== null) {
    levels.push({
      scope: 'team',
      scopeId: row.teamId,
      covers: { accountId: orgId, teamId: row.teamId },
      layer: { isEnabled: row.teamEnabled, minuteNanoUsd: row.teamMinute, hourNanoUsd: row.teamHour },
      switchedMs: row.teamSwitchedAt?.getTime() ?? 0,
    });
  }
  if (row.memberId !== null && row.memberUserId !== null) {
    levels.push({
      scope: 'member',
      scopeId: row.memberId,
      covers: { accountId: orgId, userIds: [row.memberUserId] },
      layer: { isEnabled: row.memberEnabled, minuteNanoUsd: row.memberMinute, hourNanoUsd: row.memberHour },
      switchedMs: row.memberSwitchedAt?.getTime() ?? 0,
    });
  }
  return levels;
}
