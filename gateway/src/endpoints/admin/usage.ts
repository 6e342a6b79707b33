// The operator's view and upkeep of usage: GET /admin/v1/absorbed, POST /admin/v1/usage/rebuild and POST
// /admin/v1/usage/drop-months. Dropping cannot be undone, so the two newest months are refused.

import { dayStartMs, monthAfter } from '../../canonical/calendar.ts';
import {
  type AbsorbedAnswer,
  type DropMonthsAnswer,
  DropMonthsBody,
  type RebuildAnswer,
  RebuildBody,
} from '../../contract/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { recordsDropped, type UsageUpkeep } from '../../modules/usage/upkeep.ts';
import type { AbsorbedCost, UsageReports } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { usdNumber } from '../../platform/money.ts';
import { daySpan } from '../account/usage-query.ts';
import { bodyReader } from '../read-body.ts';

export const readAbsorbed =
  (usage: UsageReports): Handler =>
  async (exchange) => {
    const { totalNanoUsd, users } = await usage.absorbed();
    const answer: AbsorbedAnswer = {
      totalUsd: usdNumber(totalNanoUsd),
      users: users.map((user) => ({
        userId: user.userId,
        ...figures(user),
        reasons: user.reasons.map((reason) => ({ reason: reason.reason, ...figures(reason) })),
        models: user.models.map((part) => ({
          model: part.modelId === '' ? null : part.modelId,
          reason: part.reason,
          ...figures(part),
        })),
      })),
    };
    sendJson(exchange, 200, answer);
  };

const figures = ({ absorbedNanoUsd, calls }: AbsorbedCost) => ({ absorbedUsd: usdNumber(absorbedNanoUsd), calls });

type UpkeepServices = Readonly<{ usageUpkeep: UsageUpkeep; clock: Clock }>;

export function rebuildUsage({ usageUpkeep }: UpkeepServices): Handler {
  const readBody = bodyReader(RebuildBody);
  return async (exchange) => {
    const { from, to } = await readBody(exchange);
    const { firstDay, lastDay } = daySpan(from, to);
    const [gone] = await usageUpkeep.droppedMonths(firstDay, lastDay);
    if (gone !== undefined) throw recordsDropped(gone);
    const { days, wrongRows } = await usageUpkeep.rebuild(firstDay, lastDay);
    const answer: RebuildAnswer = { days, correctedRows: wrongRows };
    sendJson(exchange, 200, answer);
  };
}

export function dropUsageMonths({ usageUpkeep, clock }: UpkeepServices): Handler {
  const readBody = bodyReader(DropMonthsBody);
  return async (exchange) => {
    const { before } = await readBody(exchange);
    const firstDay = `${before}-01`;
    const newest = monthAfter(clock.nowMs(), -1);
    if (dayStartMs(firstDay) === null) throw new ApiError('http_400', 'before: must be a month, YYYY-MM.');
    if (firstDay > newest) throw new ApiError('http_400', `before: must be ${newest.slice(0, 7)} or earlier.`);
    const dropped = await usageUpkeep.dropMonthsBefore(firstDay);
    const answer: DropMonthsAnswer = { dropped: dropped.map((month) => month.slice(0, 7)) };
    sendJson(exchange, 200, answer);
  };
}
