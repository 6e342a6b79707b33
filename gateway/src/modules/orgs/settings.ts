// What an organization decides for itself. Stored as JSON, so that a new setting needs no migration; what is stored under
// a name that is not known any more is left out when it is read.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { formatUsd, type NanoUsd, parseUsdJson } from '../../platform/money.ts';
import type { MemberRole } from './store/organizations.ts';

export type OrgSettings = Readonly<{
  /** What a new member may spend in a month unless it is said; null for no limit. */
  defaultMemberBudgetNanoUsd: NanoUsd | null;
  /** Whether team_admins invite people by themselves. */
  canTeamAdminsInvite: boolean;
  /** Whether its pages open only for sessions with a second factor. */
  needsSecondFactor: boolean;
  /** How long answers to calls of its keys are kept to be given again, unless a key or call says; 0: never. */
  cacheTtlSeconds: number | null;
  /** Whether its members are given answers that others of them got. */
  isCacheShared: boolean;
  /** Null: nothing of what its keys send and get is kept. */
  transcripts: TranscriptSettings | null;
}>;

type TranscriptSettings = Readonly<{
  days: number;
  /** Of how many calls. */
  samplePercent: number;
  /** Who may read them. */
  readers: readonly MemberRole[];
}>;

export function readSettings(stored: unknown): OrgSettings {
  const settings: JsonObject = isJsonObject(stored) ? stored : {};
  return {
    defaultMemberBudgetNanoUsd: parseUsdJson(settings.defaultMemberBudget),
    canTeamAdminsInvite: settings.teamAdminsMayInvite !== false,
    needsSecondFactor: settings.needsSecondFactor === true,
    cacheTtlSeconds: typeof settings.cacheTtlSeconds === 'number' ? settings.cacheTtlSeconds : null,
    isCacheShared: settings.cacheShared === true,
    transcripts: isJsonObject(settings.transcripts) ? (settings.transcripts as TranscriptSettings) : null,
  };
}

/** An amount is kept as decimal text, because a JSON number would be read back as a float. */
export function storedSettings(settings: OrgSettings): JsonObject {
  const { defaultMemberBudgetNanoUsd: budget } = settings;
  return {
    defaultMemberBudget: budget === null ? null : formatUsd(budget),
    teamAdminsMayInvite: settings.canTeamAdminsInvite,
    needsSecondFactor: settings.needsSecondFactor,
    cacheTtlSeconds: settings.cacheTtlSeconds,
    cacheShared: settings.isCacheShared,
    transcripts: settings.transcripts,
  };
}
