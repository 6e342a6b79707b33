// The statements of the operator's search for organizations: by the first letters of a name, so that an index answers.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { textStart } from '../../../platform/db/text-start.ts';

export type DirectoryRow = Readonly<{ id: string; name: string; isSuspended: boolean; createdAt: Date }>;

const COLUMNS = 'id, name, is_suspended AS "isSuspended", created_at AS "createdAt"';

// Newest first. A cursor that names no organization gives an empty page.
const listStatement = sql(
  'orgs_directory_list',
  `SELECT ${COLUMNS} FROM organizations
   WHERE $1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM organizations WHERE id = $1)
   ORDER BY created_at DESC, id DESC LIMIT $2`,
);

const searchStatement = sql(
  'orgs_directory_search',
  `SELECT ${COLUMNS} FROM organizations WHERE id IN (
     SELECT id FROM organizations WHERE id = $1
     UNION SELECT id FROM organizations WHERE lower(name) LIKE lower($2)
   ) AND ($3::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM organizations WHERE id = $3))
   ORDER BY created_at DESC, id DESC LIMIT $4`,
);

export type DirectorySearch = Readonly<{ text: string | null; after: string | null; limit: number }>;

export function searchOrganizations(
  queryable: Queryable,
  { text, after, limit }: DirectorySearch,
): Promise<DirectoryRow[]> {
  if (text === null) return queryable.query<DirectoryRow>(listStatement, [after, limit]);
  return queryable.query<DirectoryRow>(searchStatement, [text, textStart(text), after, limit]);
}
