// Fetches newer prices of vendors once a day where the operator asks for it, and applies them where that is set too.
// Nobody looks at the difference first, so a price that jumps is reported and left for a person.

import { DAY_MS } from '../canonical/calendar.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import type { PriceBooks } from '../modules/vendors/price-books.ts';
import type { ConnectServices } from '../pipeline/providers/connect-provider.ts';
import { updatePrices } from '../pipeline/providers/update-prices.ts';
import type { Clock } from '../platform/clock.ts';
import type { CountRound } from '../platform/job-metrics.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const PRICES_INTERVAL_MS = 600_000;
const FETCH_EVERY_MS = DAY_MS;
const AUTHOR = 'price book';

type PriceFollowing = Readonly<{
  catalog: Catalog;
  transport: ConnectServices['transport'];
  priceBooks: PriceBooks;
  clock: Clock;
  logger: Logger;
  countRound: CountRound;
}>;

/** Stopping it waits for the round under way. */
export function startFollowingPrices(options: PriceFollowing): () => Promise<void> {
  const { clock, logger, countRound } = options;
  /** For this process, also when fetching failed: a source that is away is not asked every few minutes. */
  let askedMs = Number.NEGATIVE_INFINITY;
  const round = async (): Promise<void> => {
    const { price_book: wish } = options.catalog.liveDocument();
    if (wish === undefined) return;
    const { fetchedAt } = await options.priceBooks.state();
    const lastMs = Math.max(askedMs, fetchedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
    if (clock.nowMs() - lastMs < FETCH_EVERY_MS) return;
    askedMs = clock.nowMs();
    const problem = await options.priceBooks.fetchNewer();
    if (problem !== null) {
      logger.warn({ problem }, 'newer prices could not be fetched');
      return;
    }
    const { ignored } = await options.priceBooks.current();
    if (ignored.length > 0)
      logger.warn({ ignored: ignored.join(', ') }, 'newer prices that cannot be read are left out');
    if (wish === 'follow') await follow(options);
  };
  const failure = 'prices were not brought up to date';
  return startRounds(() => countRound(round()), { intervalMs: PRICES_INTERVAL_MS, failure, clock, logger }).stop;
}

async function follow({ catalog, transport, priceBooks, clock, logger }: PriceFollowing): Promise<void> {
  const services = { catalog, transport, clock, priceBook: () => priceBooks.current() };
  const options = { author: AUTHOR, note: 'newer prices of the price book', keepsJumps: true };
  const { change, jumps, typed } = await updatePrices(services, options);
  const { changes, revision } = change;
  if (change.isApplied) logger.info({ revision, changes: changes.join('; ') }, 'prices follow the price book');
  if (typed.length > 0)
    logger.info({ typed: typed.join('; ') }, 'prices that differ from the price book and do not follow it');
  if (jumps.length > 0)
    logger.warn({ jumps: jumps.join('; ') }, 'prices that jump in the price book wait for an operator');
}
