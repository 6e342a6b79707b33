// The price book's rows: only the newest counts.

import { type Queryable, sql } from '../../platform/db/database.ts';
import type { BookData } from './price-book.ts';

type StoredBook = Readonly<{ fetchedAt: Date; source: string; data: BookData }>;

const selectNewest = sql(
  'vendors_select_book',
  'select fetched_at, source, data::text as data from price_books order by fetched_at desc limit 1',
);
const selectNewestTime = sql(
  'vendors_select_book_time',
  'select fetched_at from price_books order by fetched_at desc limit 1',
);
const insertBook = sql('vendors_insert_book', 'insert into price_books (source, data) values ($1, $2::json)');
const deleteOlder = sql(
  'vendors_delete_older_books',
  'delete from price_books where fetched_at < (select max(fetched_at) from price_books)',
);

type BookRow = { fetched_at: Date; source: string; data: string };

export async function readNewestBook(queryable: Queryable): Promise<StoredBook | null> {
  const [row] = await queryable.query<BookRow>(selectNewest);
  if (row === undefined) return null;
  return { fetchedAt: row.fetched_at, source: row.source, data: JSON.parse(row.data) as BookData };
}

export async function readNewestTime(queryable: Queryable): Promise<Date | null> {
  const [row] = await queryable.query<{ fetched_at: Date }>(selectNewestTime);
  return row?.fetched_at ?? null;
}

export async function keepBook(transaction: Queryable, source: string, data: string): Promise<void> {
  await transaction.query(insertBook, [source, data]);
  await transaction.query(deleteOlder);
}
