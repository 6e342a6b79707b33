// What an organization spent in a span of days: by day, by team, by model, by member. All four are sums of the same
// rows, so each adds up to the same total.

import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import * as store from './store/organization-report.ts';

export type { OrganizationSpan } from './store/organization-report.ts';

export type SpendByDay = Readonly<{
  totalNanoUsd: NanoUsd;
  /** What the charged calls cost at the list prices of their providers. */
  upstreamNanoUsd: NanoUsd;
  /** Only days with a call, in order. */
  days: readonly Readonly<{ day: string; spentNanoUsd: NanoUsd }>[];
}>;

type TeamSpend = Readonly<{
  /** Null for calls without a team. */
  teamId: string | null;
  /** Null for no team, and for a deleted one. */
  name: string | null;
  spentNanoUsd: NanoUsd;
  monthlyBudgetNanoUsd: NanoUsd | null;
  models: readonly Readonly<{ modelId: string; spentNanoUsd: NanoUsd }>[];
}>;

export type SpendByTeam = Readonly<{ totalNanoUsd: NanoUsd; teams: readonly TeamSpend[] }>;

type ModelSpend = Readonly<{ modelId: string; spentNanoUsd: NanoUsd; requests: number; tokens: number }>;

type MemberSpend = Readonly<{
  /** Null for a person who has left. */
  memberId: string | null;
  userId: string;
  name: string | null;
  email: string | null;
  team: Readonly<{ id: string; name: string }> | null;
  spentNanoUsd: NanoUsd;
  requests: number;
  tokens: number;
}>;

/** The largest spending comes first. */
export type OrganizationReports = Readonly<{
  byDay(span: store.OrganizationSpan): Promise<SpendByDay>;
  byTeam(span: store.OrganizationSpan): Promise<SpendByTeam>;
  byModel(span: store.OrganizationSpan): Promise<readonly ModelSpend[]>;
  byMember(span: store.OrganizationSpan): Promise<readonly MemberSpend[]>;
}>;

export function createOrganizationReports(queryable: Queryable): OrganizationReports {
  return {
    async byDay(span) {
      const rows = await store.readDays(queryable, span);
      return {
        totalNanoUsd: sum(rows.map(({ spent }) => spent)),
        upstreamNanoUsd: sum(rows.map(({ upstream }) => upstream)),
        days: rows.map(({ day, spent }) => ({ day, spentNanoUsd: spent })),
      };
    },
    byTeam: async (span) => groupByTeam(await store.readTeams(queryable, span)),
    async byModel(span) {
      const rows = await store.readModels(queryable, span);
      return rows.map(({ modelId, spent, requests, tokens }) => ({
        modelId,
        spentNanoUsd: spent,
        requests: Number(requests),
        tokens: Number(tokens),
      }));
    },
    byMember: async (span) => (await store.readMembers(queryable, span)).map(toMember),
  };
}

const sum = (amounts: readonly NanoUsd[]): NanoUsd => amounts.reduce((total, amount) => total + amount, 0n);

function groupByTeam(rows: readonly store.TeamRow[]): SpendByTeam {
  const teams = new Map<string, TeamSpend>();
  for (const { teamId, name, budget, modelId, spent } of rows) {
    const known = teams.get(teamId);
    teams.set(teamId, {
      teamId: teamId === '' ? null : teamId,
      name,
      spentNanoUsd: (known?.spentNanoUsd ?? 0n) + spent,
      monthlyBudgetNanoUsd: budget,
      models: modelId === null ? [] : [...(known?.models ?? []), { modelId, spentNanoUsd: spent }],
    });
  }
  const bySpend = (left: TeamSpend, right: TeamSpend): number => Number(right.spentNanoUsd - left.spentNanoUsd);
  return { totalNanoUsd: sum(rows.map(({ spent }) => spent)), teams: [...teams.values()].sort(bySpend) };
}

function toMember({ memberId, userId, name, email, teamId, teamName, ...row }: store.MemberRow): MemberSpend {
  return {
    memberId,
    userId,
    name,
    email,
    team: teamId === null || teamName === null ? null : { id: teamId, name: teamName },
    spentNanoUsd: row.spent,
    requests: Number(row.requests),
    tokens: Number(row.tokens),
  };
}
