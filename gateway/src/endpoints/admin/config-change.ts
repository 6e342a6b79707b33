// What all changes of the config document have in common in the operator API: how they are requested and answered.

import type { ActingOperator } from '../../canonical/caller.ts';
import type { AppliedConfig } from '../../contract/config-revisions.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Change, ChangeOptions } from '../../modules/catalog/change-document.ts';
import { ConfigDocumentError } from '../../modules/catalog/config-problem.ts';
import type { PriceBooks } from '../../modules/vendors/price-books.ts';
import { slipCheck } from '../../pipeline/providers/guard-prices.ts';
import type { Clock } from '../../platform/clock.ts';

const NOTE_LENGTH_MAX = 500;
const AUTHOR_LENGTH_MAX = 100;

/** A signed-in operator is the author, whatever the request says; with the token, the request may name one. */
export function authorOf({ email }: ActingOperator, given: string | null | undefined): Readonly<{ author?: string }> {
  const author = email?.slice(0, AUTHOR_LENGTH_MAX) ?? given;
  return author === null || author === undefined ? {} : { author };
}

/** Read from the query, because the body is the document. */
export function readChangeOptions(query: URLSearchParams, operator: ActingOperator): ChangeOptions {
  const expected = query.get('revision');
  return {
    ...authorOf(operator, readText(query, 'author', AUTHOR_LENGTH_MAX)),
    note: readText(query, 'note', NOTE_LENGTH_MAX),
    isTrial: readFlag(query, 'dry_run'),
    expectedRevision: expected === null ? null : readRevisionNumber(expected, 'revision'),
  };
}

export function readFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw new ApiError('http_400', `${name}: must be true or false.`);
  return text === 'true';
}

export function readRevisionNumber(text: string, name: string): bigint {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError('http_400', `${name}: must be the number of a revision.`);
  return BigInt(text);
}

function readText(query: URLSearchParams, name: string, lengthMax: number): string | null {
  const text = query.get(name)?.trim() ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is kept is shown on terminals.
  if (text.length > lengthMax || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(text)) {
    throw new ApiError('http_400', `${name}: must be one line of at most ${lengthMax} characters.`);
  }
  return text === '' ? null : text;
}

export const appliedConfig = (change: Change): AppliedConfig => ({
  config: change.document,
  changes: change.changes,
  removals: change.removals,
  applied: change.isApplied,
  revision: Number(change.revision),
});

/** Refuses prices that look like a wrong unit, unless the operator has confirmed them. */
export async function slipCheckUnless(
  isConfirmed: boolean,
  services: Readonly<{ priceBooks: Pick<PriceBooks, 'current'>; clock: Clock }>,
): Promise<Pick<ChangeOptions, 'check'>> {
  if (isConfirmed) return {};
  return { check: slipCheck(await services.priceBooks.current(), services.clock.nowMs()) };
}

export async function refusingProblems<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ConfigDocumentError)) throw error;
    throw new ApiError('http_400', `The config was not applied. ${error.problems.join('; ')}`, { cause: error });
  }
}
