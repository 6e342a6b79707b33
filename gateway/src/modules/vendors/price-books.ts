// The current price book: the one that was fetched last, or the one that is shipped. An operator asks for fetching, and
// data that cannot be fetched or read changes nothing.

import type { Database } from '../../platform/db/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { openPriceBook, type PriceBook, publishedAt, readNewer } from './price-book.ts';
import * as store from './store.ts';

/** `fetchedAt` is null for the book that is shipped. */
type BookState = Readonly<{ fetchedAt: Date | null; source: string }>;

export type PriceBooks = Readonly<{
  current(): Promise<PriceBook>;
  state(): Promise<BookState>;
  /** Null when it was fetched and stored; else the reason why not. */
  fetchNewer(): Promise<string | null>;
}>;

type PriceBooksOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  /** Where newer prices are published; null for the address in the book itself. */
  sourceUrl: string | null;
}>;

const SHIPPED = 'shipped with this version';
const BYTES_MAX = 32 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const VENDORS_MIN = 5;

export function createPriceBooks({ database, outbound, sourceUrl }: PriceBooksOptions): PriceBooks {
  let opened: Readonly<{ timeMs: number; book: PriceBook }> | null = null;

  const current = async (): Promise<PriceBook> => {
    const timeMs = (await store.readNewestTime(database))?.getTime() ?? 0;
    if (opened?.timeMs === timeMs) return opened.book;
    const stored = timeMs === 0 ? null : await store.readNewestBook(database);
    opened = { timeMs, book: await openPriceBook(stored?.data ?? null) };
    return opened.book;
  };

  return {
    current,
    async state() {
      const stored = await store.readNewestBook(database);
      return stored ?? { fetchedAt: null, source: SHIPPED };
    },
    async fetchNewer() {
      const url = sourceUrl ?? (await publishedAt());
      const text = await download(outbound, url);
      if (typeof text !== 'string') return text.problem;
      if (!(await isBook(text))) return `${url} answered with something that is no price book.`;
      await database.transaction((transaction) => store.keepBook(transaction, url, text));
      return null;
    },
  };
}

async function download(
  outbound: Pick<Outbound, 'request'>,
  url: string,
): Promise<string | Readonly<{ problem: string }>> {
  try {
    const purpose = { allowHttp: true, allowHighPorts: true };
    const headers = ['accept', 'application/json'];
    const answer = await outbound.request({
      url,
      purpose,
      headers,
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: BYTES_MAX,
    });
    if (answer.status === 200) return answer.body.toString('utf8');
    return { problem: `${url} answered ${answer.status}.` };
  } catch (error) {
    if (error instanceof ForbiddenUrlError) return { problem: `${url} ${error.message}.` };
    if (!(error instanceof OutboundError)) throw error;
    return { problem: `${url} cannot be reached, so the prices at hand are used.` };
  }
}

async function isBook(text: string): Promise<boolean> {
  const read = await readNewer(parseText(text));
  return read !== null && read.vendors.length >= VENDORS_MIN;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
