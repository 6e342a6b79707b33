// What an organization's administrators read about a month's spending. Amounts are JSON numbers in USD; months are those
// of UTC.

export const REPORT_VIEWS = ['overview', 'by-team', 'by-model', 'by-member'] as const;
export type ReportView = (typeof REPORT_VIEWS)[number];

type InMonth = Readonly<{ year: number; month: number }>;

export type OverviewAnswer = InMonth &
  Readonly<{
    totalSpend: number;
    /** (spend - upstream cost) / spend, of the calls that were charged; 0 at list price, and when nothing was spent. */
    marginRate: number;
    /** Every day of the month that has begun. */
    dailyTrend: readonly Readonly<{ date: string; spend: number }>[];
  }>;

export type ByTeamAnswer = InMonth &
  Readonly<{
    teams: readonly Readonly<{
      /** Null for calls that were made in no team. */
      teamId: string | null;
      /** Null for no team, and for one that has been deleted since. */
      name: string | null;
      spend: number;
      /** Of all that the organization has spent in the month. */
      sharePct: number;
      models: readonly Readonly<{ model: string; spend: number }>[];
      monthlyBudget: number | null;
      /** Null without a budget, and with a budget of 0. */
      budgetUtilizationPct: number | null;
    }>[];
  }>;

export type ByModelAnswer = InMonth &
  Readonly<{
    models: readonly Readonly<{
      model: string;
      spend: number;
      tokens: number;
      requests: number;
      /** Null for what is not billed by tokens. */
      avgPricePer1M: number | null;
    }>[];
  }>;

export type ByMemberAnswer = InMonth &
  Readonly<{
    members: readonly Readonly<{
      /** Null for whoever has left. */
      memberId: string | null;
      userId: string;
      name: string | null;
      email: string | null;
      /** The team of today. */
      team: Readonly<{ id: string; name: string }> | null;
      spend: number;
      requests: number;
      tokens: number;
    }>[];
  }>;
