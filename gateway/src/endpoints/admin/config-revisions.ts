// The revisions of the config document: listing, reading, comparing, and restoring one.

import { Type } from '@sinclair/typebox';
import type { ConfigRevisionDetail, ConfigRevisionList } from '../../contract/config-revisions.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { RevisionFacts } from '../../modules/catalog/store.ts';
import type { PriceBooks } from '../../modules/vendors/price-books.ts';
import type { Clock } from '../../platform/clock.ts';
import { readPage } from '../page.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import {
  appliedConfig,
  authorOf,
  readFlag,
  readRevisionNumber,
  refusingProblems,
  slipCheckUnless,
} from './config-change.ts';

type RevisionServices = Readonly<{
  catalog: Pick<Catalog, 'current' | 'listRevisions' | 'readRevision' | 'restoreRevision'>;
}>;

type RestoreServices = RevisionServices & Readonly<{ priceBooks: Pick<PriceBooks, 'current'>; clock: Clock }>;

export const RestoreBody = Type.Object(
  {
    note: Type.Optional(Type.String({ maxLength: 500, description: 'text of at most 500 characters' })),
    author: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'text of at most 100 characters' })),
  },
  { title: 'RestoreRevision' },
);

const readRestoreBody = bodyReader(RestoreBody);

export const listRevisionsEndpoint =
  ({ catalog }: RevisionServices): Handler =>
  async (exchange) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const before = after === null ? null : readRevisionNumber(after, 'after');
    const found = await catalog.listRevisions({ before, limit: limit + 1 });
    const shown = found.slice(0, limit);
    sendJson(exchange, 200, {
      data: shown.map((facts) => ({ ...factsView(facts, catalog), changes: facts.changes.length })),
      next: found.length > limit ? String(shown.at(-1)?.revision) : null,
    } satisfies ConfigRevisionList);
  };

export const readRevisionEndpoint =
  ({ catalog }: RevisionServices): Handler =>
  async (exchange) => {
    const against = new URLSearchParams(exchange.queryText).get('against');
    const detail = await catalog.readRevision(
      revisionOf(exchange),
      against === null ? null : readRevisionNumber(against, 'against'),
    );
    if (detail === null) throw noRevision();
    sendJson(exchange, 200, {
      ...factsView(detail, catalog),
      config: detail.document,
      against: detail.against === null ? null : Number(detail.against),
      changes: detail.changes,
      removals: detail.removals,
    } satisfies ConfigRevisionDetail);
  };

export const restoreRevisionEndpoint =
  (services: RestoreServices): OperatorHandler =>
  async (exchange, operator) => {
    const revision = revisionOf(exchange);
    const query = new URLSearchParams(exchange.queryText);
    const { note = null, author } = await readRestoreBody(exchange);
    const check = await slipCheckUnless(readFlag(query, 'confirm_prices'), services);
    const expected = query.get('revision');
    const change = await refusingProblems(() =>
      services.catalog.restoreRevision(revision, {
        ...check,
        note,
        ...authorOf(operator, author),
        isTrial: readFlag(query, 'dry_run'),
        expectedRevision: expected === null ? null : readRevisionNumber(expected, 'revision'),
      }),
    );
    if (change === null) throw noRevision();
    sendJson(exchange, 200, appliedConfig(change));
  };

function revisionOf(exchange: Exchange): bigint {
  const text = exchange.params.revision ?? '';
  if (!/^\d{1,15}$/.test(text)) throw noRevision();
  return BigInt(text);
}

const noRevision = (): ApiError => new ApiError('http_404', 'There is no revision of this number.');

const factsView = (facts: RevisionFacts, catalog: Pick<Catalog, 'current'>) => ({
  revision: Number(facts.revision),
  at: facts.createdAt.toISOString(),
  source: facts.source,
  author: facts.author ?? facts.source,
  note: facts.note,
  restored: facts.restored === null ? null : Number(facts.restored),
  isLive: facts.revision === catalog.current().revision,
});
