// What an organization decides for itself. Stored as JSON, so that a new setting needs no migration; a stored name that
// is no longer known is left out when it is read.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import { formatUsd, type NanoUsd, parseUsdJson } from '../../platform/money.ts';

export type OrgSettings = Readonly<{
  /** What a new member may spend in a month by default; null for no limit. */
  defaultMemberBudgetNanoUsd: NanoUsd | null;
  /** Whether team_admins may invite people. */
  canTeamAdminsInvite: boolean;
  /** Whether its pages open only for sessions with a second factor. */
  needsSecondFactor: boolean;
  /**
   * How long answers to calls of its keys are kept to be given again, unless a key or call says otherwise; 0 for never.
   */
  cacheTtlSeconds: number | null;
  /** Whether members are given answers that other members got. */
  isCacheShared: boolean;
  /** Null: no prompts and answers are kept. */
  transcripts: TranscriptSettings | null;
}>;

type TranscriptSettings = Readonly<{
  days: number;
  /** The share of calls that are kept. */
  samplePercent: number;
  /** Who may read them. */
  readers: readonly OrgRole[];
}>;

export function readSettings(stored: unknown): OrgSettings {
  const settings: JsonObject = objectOrEmpty(stored);
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
