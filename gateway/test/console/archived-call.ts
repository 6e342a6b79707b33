// A call whose charge is archived, made without waiting the two months until a month can be archived.

import { Client } from 'pg';

/** Copies the record of a call to January 2020, and has that month archived; answers the copy's id. */
export async function archivedCopy(databaseUrl: string, generationId: string): Promise<string> {
  const id = `gen-${Date.parse('2020-01-15').toString(16).padStart(12, '0')}${'0'.repeat(24)}`;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into generations select made.* from generations g cross join lateral jsonb_populate_record(
         null::generations, to_jsonb(g) || jsonb_build_object('id', $2::text, 'created_at', '2020-01-15T00:00:00Z')) made
       where g.id = $1`,
      [generationId, id],
    );
    await client.query(
      `insert into ledger_months (month, sealed_at, archive_sha256, archived_at) values ('2020-01-01', now(), 'x', now())`,
    );
    return id;
  } finally {
    await client.end();
  }
}
