// Money for a call that may have been charged already: a line of a batch or a repeated call whose process died between its
// charge and its answer. It is answered, though nothing may be left for another.

import { ApiError } from '../../errors/api-error.ts';
import type { Funding } from '../attempt-loop.ts';
import { type FundInput, type FundServices, fund } from '../fund.ts';

export function fundOnce(input: FundInput, services: FundServices): Funding | Promise<Funding> {
  return input.exchange.resumed === undefined ? fund(input, services) : fundAgain(input, services);
}

async function fundAgain(input: FundInput, services: FundServices): Promise<Funding> {
  try {
    return await fund(input, services);
  } catch (error) {
    const { call, selection } = input;
    const isShort = error instanceof ApiError && (error.status === 402 || error.status === 429);
    if (!isShort || !(await services.ledger.isCharged(call.generationId))) throw error;
    const reservation = await services.ledger.reserve(call.caller.accountId, call.generationId, 0n);
    return { reservation, selection, pass: null };
  }
}
