// The price book's rows: only the newest counts.

import { type Queryable, sql } from '../../platform/db/database.ts';

type StoredBook = Readonly<{ fetchedAt: Date; source: string; data: unknown }>;

const selectNewest = sql(
  'vendors_select_book',
  'SELECT fetched_at, source, data::text AS data FROM price_books ORDER BY fetched_at DESC LIMIT 1',
);
const selectNewestTime = sql(
  'vendors_select_book_time',
  'SELECT fetched_at FROM price_books ORDER BY fetched_at DESC LIMIT 1',
);
const insertBook = sql('vendors_insert_book', 'INSERT INTO price_books (source, data) VALUES ($1, $2::json)');
const deleteOlder = sql(
  'vendors_delete_older_books',
  'DELETE FROM price_books WHERE fetched_at < (SELECT max(fetched_at) FROM price_books)',
);

type BookRow = { fetched_at: Date; source: string; data: string };

export async function readNewestBook(queryable: Queryable): Promise<StoredBook | null> {
  const [row] = await queryable.query<BookRow>(selectNewest);
  if (row === undefined) return null;
  return { fetchedAt: row.fetched_at, source: row.source, data: JSON.parse(row.data) };
}

export async function readNewestTime(queryable: Queryable): Promise<Date | null> {
  const [row] = await queryable.query<{ fetched_at: Date }>(selectNewestTime);
  return row?.fetched_at ?? null;
}

export async function keepBook(transaction: Queryable, source: string, data: string): Promise<void> {
  await transaction.query(insertBook, [source, data]);
  await transaction.query(deleteOlder);
}
