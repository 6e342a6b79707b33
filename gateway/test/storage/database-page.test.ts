// docs/database.md is written from a migrated database: the purpose of each table, as its comment says, and what refers
// to what. A table without a comment, or of an unknown module, fails here; so does an outdated page.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { migrate, migrationsFolder } from '../../src/platform/db/migrate.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase } from '../database.ts';

const PAGE = fileURLToPath(new URL('../../../docs/database.md', import.meta.url));
const MODULES = fileURLToPath(new URL('../../src/modules', import.meta.url));

type Table = Readonly<{ name: string; comment: string | null }>;
type Reference = Readonly<{ from: string; to: string }>;

let tables: readonly Table[];
let references: readonly Reference[];

/** Partitions belong to their table, and the list of migrations to the migrator. */
const tablesText = `
  select relname as name, obj_description(oid) as comment
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname <> 'schema_migrations'
  order by relname`;

const referencesText = `
  select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
  from pg_constraint
  where contype = 'f' and conparentid = 0
  order by 1, 2`;

beforeAll(async () => {
  const fresh = await emptyDatabase();
  await migrate(fresh.url, migrationsFolder, silentLogger);
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    tables = (await client.query<Table>(tablesText)).rows;
    references = (await client.query<Reference>(referencesText)).rows;
  } finally {
    await client.end();
    await fresh.drop();
  }
});

const commentOf = ({ comment }: Table): readonly [string, string] => {
  const [, owner = '', purpose = ''] = /^([a-z-]+): ([A-Z].*\.)$/.exec(comment ?? '') ?? [];
  return [owner, purpose];
};

function sectionOf(owner: string): string {
  const own = tables.filter((table) => commentOf(table)[0] === owner);
  const rows = own.map((table) => `- \`${table.name}\`: ${commentOf(table)[1]}`);
  const names = new Set(own.map(({ name }) => name));
  const lines = references.filter(({ from }) => names.has(from)).map(({ from, to }) => `  ${to} ||--o{ ${from} : ""`);
  const diagram = lines.length === 0 ? [] : ['', '```mermaid', 'erDiagram', ...lines, '```'];
  return [`## ${owner}`, '', ...rows, ...diagram].join('\n');
}

test('every table says what it is for, and which module owns it', async () => {
  const modules = await readdir(MODULES);
  const unsaid = tables.filter((table) => !modules.includes(commentOf(table)[0]));
  expect(unsaid).toEqual([]);
});

test('the page of the database is current', async () => {
  const owners = [...new Set(tables.map((table) => commentOf(table)[0]))].sort();
  const page = `${[
    '# The database',
    'Every table, by the module that owns it, and what its rows refer to. This page is written from a migrated database: `TOLLGATE_UPDATE_SURFACE=yes npx vitest run gateway/test/storage/database-page.test.ts` writes it anew. A table says what it is for in its comment, which `\\d+` of psql shows as well.',
    'Entries of the journal refer to accounts and calls without a foreign key, because checking one would lock the same rows for every call; the self-check of the books compares them instead.',
    ...owners.map(sectionOf),
  ].join('\n\n')}\n`;
  if (process.env.TOLLGATE_UPDATE_SURFACE === 'yes') await writeFile(PAGE, page);
  expect(await readFile(PAGE, 'utf8')).toBe(page);
});
