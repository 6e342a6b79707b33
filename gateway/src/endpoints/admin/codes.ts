// GET and POST /admin/v1/codes, DELETE /admin/v1/codes/:id: batches of codes that people redeem for credit.

import { type CodeBatchList, type NewCodesAnswer, NewCodesBody } from '../../contract/codes.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { CodeBatch, CreditCodes } from '../../modules/payments/codes.ts';
import { usdNumber } from '../../platform/money.ts';
import { momentField } from '../keys/read-moment.ts';
import { cutPage, readPage } from '../page.ts';
import { bodyReader } from '../read-body.ts';
import { creditAmount } from './credits.ts';

type CodeServices = Readonly<{ creditCodes: CreditCodes }>;

export function makeCodes({ creditCodes }: CodeServices): Handler {
  const readBody = bodyReader(NewCodesBody);
  return async (exchange) => {
    const { count, amountUsd, note = '', expiresAt } = await readBody(exchange);
    const amountNanoUsd = creditAmount({ amountUsd });
    const expiresAtMs = momentField('expiresAt', expiresAt) ?? null;
    const answer: NewCodesAnswer = await creditCodes.make({ count, amountNanoUsd, note, expiresAtMs });
    sendJson(exchange, 201, answer);
  };
}

export const listCodes =
  ({ creditCodes }: CodeServices): Handler =>
  async (exchange) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText), 'cursor');
    const { rows, next } = cutPage(await creditCodes.list(after, limit + 1), limit);
    const answer: CodeBatchList = { batches: rows.map(toBatch), next };
    sendJson(exchange, 200, answer);
  };

export const voidCodes =
  ({ creditCodes }: CodeServices): Handler =>
  async (exchange) => {
    const isThere = await creditCodes.voidBatch(exchange.params.id ?? '');
    if (!isThere) throw new ApiError('http_404', 'There is no such batch.');
    sendEmpty(exchange, 204);
  };

const toBatch = (batch: CodeBatch): CodeBatchList['batches'][number] => ({
  id: batch.id,
  amountUsd: usdNumber(batch.amountNanoUsd),
  note: batch.note,
  codes: Number(batch.codes),
  redeemed: Number(batch.redeemed),
  expiresAt: batch.expiresAt?.toISOString() ?? null,
  voided: batch.voidedAt !== null,
  createdAt: batch.createdAt.toISOString(),
});
