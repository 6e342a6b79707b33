// GET /admin/v1/audit-log: what operators did, newest first.

import type { OperatorLogAnswer } from '../../contract/admin.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { OperatorLog } from '../../modules/audit/operator-log.ts';
import { readPage } from '../page.ts';
import { readFlag } from './config-change.ts';

export const readOperatorLog =
  ({ operatorLog }: Readonly<{ operatorLog: Pick<OperatorLog, 'list'> }>): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit } = readPage(query);
    if (after !== null && !/^\d{1,18}$/.test(after)) {
      throw new ApiError('http_400', 'after: must be the next cursor of a previous page.');
    }
    const found = await operatorLog.list({
      before: after === null ? null : BigInt(after),
      operatorUserId: query.get('operator'),
      isChangesOnly: readFlag(query, 'changes'),
      limit: limit + 1,
    });
    const shown = found.slice(0, limit);
    const answer: OperatorLogAnswer = {
      data: shown.map(({ position, createdAt, operatorUserId, operatorEmail, ...entry }) => ({
        ...entry,
        operator: operatorUserId === null ? null : { userId: operatorUserId, email: operatorEmail ?? '' },
        id: position.toString(),
        params: { ...entry.params },
        createdAt: createdAt.toISOString(),
      })),
      next: found.length > limit ? (shown.at(-1)?.position.toString() ?? null) : null,
    };
    sendJson(exchange, 200, answer);
  };
