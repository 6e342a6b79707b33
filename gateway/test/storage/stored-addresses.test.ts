// Addresses that were stored with blanks around them, because a directory had stated them so, lose them.

import { expect, test } from 'vitest';
import { migratedBefore } from './migrated-before.ts';

test('addresses that a directory stated with blanks around them are kept without them, and no others change', async () => {
  const { client, goOn } = await migratedBefore('-addresses-without-blanks.sql');
  const stored: readonly (readonly [before: string, after: string])[] = [
    [' \tAnn@acme.example\r\n', 'Ann@acme.example'],
    ['Bo@acme.example', 'Bo@acme.example'],
    ['Cy@acme.example ', 'Cy@acme.example'],
  ];
  for (const [before, after] of stored) {
    const user = [after, before, after.toLowerCase()];
    await client.query("insert into users (id, email, email_normalized, name) values ($1, $2, $3, 'x')", user);
  }
  await goOn();
  const { rows } = await client.query('select email from users order by id');
  expect(rows.map(({ email }) => email)).toEqual(stored.map(([, after]) => after));
});
