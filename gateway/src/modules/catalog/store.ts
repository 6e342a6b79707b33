// The catalog's rows. Revisions are only added, so the newest one is the live document and the older ones are the
// history; writers queue on one advisory lock, which makes "read the live one, add the next" a single step.

import type { ConfigDocument } from '../../contract/config.ts';
import { assert } from '../../platform/assert.ts';
import { type Queryable, sql } from '../../platform/db/database.ts';
import { NOTICES_APPLICATION } from '../../platform/db/notices.ts';
import type { ModelHistory } from './snapshot.ts';

export type RevisionSource = 'file' | 'built-in' | 'operator';

export type StoredRevision = Readonly<{
  revision: bigint;
  /** With sealed API keys. */
  document: ConfigDocument;
  /** The file that was applied last, at this revision or before. */
  fileSource: 'file' | 'built-in' | null;
  fileDigest: string | null;
  /** Made by an operator, and not by a file alone. */
  isEdited: boolean;
}>;

/** What is told of a revision beside its document. Revisions from before authors were kept have only their source. */
export type RevisionFacts = Readonly<{
  revision: bigint;
  createdAt: Date;
  source: RevisionSource;
  author: string | null;
  note: string | null;
  restored: bigint | null;
  changes: readonly string[];
}>;

const lockRevisions = sql(
  'catalog_lock_revisions',
  `SELECT pg_advisory_xact_lock(hashtext('tollgate.config_revisions'))`,
);

// Read as text, because the driver may parse JSON columns, and the order of models must survive.
const selectLatest = sql(
  'catalog_select_latest',
  `SELECT revision, document::text AS document, source, file_source, file_digest
     FROM config_revisions
   ORDER BY revision DESC LIMIT 1`,
);

const selectLatestFile = sql(
  'catalog_select_latest_file',
  `SELECT revision, document::text AS document, source, file_source, file_digest
     FROM config_revisions
   WHERE source <> 'operator'
   ORDER BY revision DESC LIMIT 1`,
);

const selectOne = sql(
  'catalog_select_revision',
  `SELECT revision, document::text AS document, source, file_source, file_digest
     FROM config_revisions
   WHERE revision = $1`,
);

const selectKnownFile = sql(
  'catalog_select_known_file',
  'SELECT EXISTS (SELECT FROM config_revisions WHERE file_digest = $1) AS "isKnown"',
);

const FACTS = `revision, created_at, source, author, note, restored_revision, changes::text AS changes`;

const selectFacts = sql(
  'catalog_select_revision_facts',
  `SELECT ${FACTS} FROM config_revisions WHERE $1::bigint IS NULL OR revision < $1 ORDER BY revision DESC LIMIT $2`,
);

const selectLatestNumber = sql(
  'catalog_select_latest_number',
  'SELECT revision FROM config_revisions ORDER BY revision DESC LIMIT 1',
);

const insertRevision = sql(
  'catalog_insert_revision',
  `INSERT INTO config_revisions
     (document, source, file_source, file_digest, author, note, restored_revision, changes)
   VALUES ($1::json, $2, $3, $4, $5, $6, $7, $8::json)
   RETURNING revision`,
);

// Only rows that differ are written, because few models of a large catalog change.
const upsertModels = sql(
  'catalog_upsert_models',
  `INSERT INTO catalog_models (id, deprecation_date)
   SELECT id, deprecation_date FROM unnest($1::text[], $2::date[]) AS listed (id, deprecation_date)
   ON CONFLICT (id) DO UPDATE SET deprecation_date = excluded.deprecation_date
   WHERE catalog_models.deprecation_date IS DISTINCT FROM excluded.deprecation_date`,
);

const selectModels = sql(
  'catalog_select_models',
  `SELECT id, (extract(epoch FROM first_seen_at) * 1000)::float8 AS first_seen_at_ms,
          to_char(deprecation_date, 'YYYY-MM-DD') AS deprecation_date
     FROM catalog_models`,
);

/** Holds until the transaction ends. */
export async function lockForWriting(transaction: Queryable): Promise<void> {
  await transaction.query(lockRevisions);
}

type RevisionRow = {
  revision: bigint;
  document: string;
  source: RevisionSource;
  file_source: 'file' | 'built-in' | null;
  file_digest: string | null;
};

export async function readLatestRevision(queryable: Queryable): Promise<StoredRevision | null> {
  const [row] = await queryable.query<RevisionRow>(selectLatest);
  return row === undefined ? null : storedRevision(row);
}

/** The newest that is a file and nothing else. */
export async function readLatestFile(queryable: Queryable): Promise<StoredRevision | null> {
  const [row] = await queryable.query<RevisionRow>(selectLatestFile);
  return row === undefined ? null : storedRevision(row);
}

/** Whether the file was applied before, at any time. */
export async function knowsFile(queryable: Queryable, fileDigest: string): Promise<boolean> {
  const [row] = await queryable.query<{ isKnown: boolean }>(selectKnownFile, [fileDigest]);
  return row?.isKnown === true;
}

export async function readRevision(queryable: Queryable, revision: bigint): Promise<StoredRevision | null> {
  const [row] = await queryable.query<RevisionRow>(selectOne, [revision]);
  return row === undefined ? null : storedRevision(row);
}

const storedRevision = (row: RevisionRow): StoredRevision => ({
  revision: row.revision,
  document: JSON.parse(row.document) as ConfigDocument,
  fileSource: row.file_source,
  fileDigest: row.file_digest,
  isEdited: row.source === 'operator',
});

type FactsRow = {
  revision: bigint;
  created_at: Date;
  source: RevisionSource;
  author: string | null;
  note: string | null;
  restored_revision: bigint | null;
  changes: string | null;
};

/** The newest first; `before` null begins with the live one. */
export async function listRevisions(
  queryable: Queryable,
  { before, limit }: Readonly<{ before: bigint | null; limit: number }>,
): Promise<RevisionFacts[]> {
  const rows = await queryable.query<FactsRow>(selectFacts, [before, limit]);
  return rows.map((row) => ({
    revision: row.revision,
    createdAt: row.created_at,
    source: row.source,
    author: row.author,
    note: row.note,
    restored: row.restored_revision,
    changes: row.changes === null ? [] : (JSON.parse(row.changes) as string[]),
  }));
}

export async function readLatestRevisionNumber(queryable: Queryable): Promise<bigint | null> {
  const [row] = await queryable.query<{ revision: bigint }>(selectLatestNumber);
  return row?.revision ?? null;
}

export async function addRevision(
  transaction: Queryable,
  added: Omit<StoredRevision, 'revision' | 'isEdited'> & Omit<RevisionFacts, 'revision' | 'createdAt'>,
): Promise<bigint> {
  const { author, note, restored } = added;
  const values = [
    ...[JSON.stringify(added.document), added.source, added.fileSource, added.fileDigest],
    ...[author, note, restored, JSON.stringify(added.changes)],
  ];
  const [row] = await transaction.query<{ revision: bigint }>(insertRevision, values);
  assert(row !== undefined, 'an insert returns its row');
  const models = Object.entries(added.document.models ?? {});
  await transaction.query(upsertModels, [
    models.map(([id]) => id),
    models.map(([, model]) => model.deprecation_date ?? null),
  ]);
  return row.revision;
}

type ModelRow = { id: string; first_seen_at_ms: number; deprecation_date: string | null };

export async function readModelHistory(queryable: Queryable): Promise<ModelHistory[]> {
  const rows = await queryable.query<ModelRow>(selectModels);
  return rows.map((row) => ({
    id: row.id,
    firstSeenAtMs: row.first_seen_at_ms,
    deprecationDate: row.deprecation_date,
  }));
}

const countListenersStatement = sql(
  'catalog_count_listeners',
  `SELECT count(*) AS listeners FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = $1`,
);

/** How many processes are listening for notices right now. */
export async function countListeners(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ listeners: bigint }>(countListenersStatement, [NOTICES_APPLICATION]);
  return Number(row?.listeners ?? 0n);
}
