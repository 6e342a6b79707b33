// Batches that were over before their counts were kept with them tell what became of them when their lines are gone.

import { expect, test } from 'vitest';
import { migratedBefore } from './migrated-before.ts';

test('batches that are over have the counts of their lines, and others have none yet', async () => {
  const { client, goOn } = await migratedBefore('-counts-of-ended-batches.sql');
  await client.query(
    `insert into batches (id, account_id, user_id, key_id, endpoint, input_file_id, status, form, created_at, expires_at, due_at, ended_at)
     select id, 'a', 'a', '', '', '', 'completed', form, now(), now(), now(), ended_at
     from (values ('over', 'file', now()), ('silent', 'messages', now()), ('open', 'file', null), ('job', 'job', now()))
       as b (id, form, ended_at)`,
  );
  await client.query(
    `insert into batch_lines (batch_id, line_no, custom_id, request, due_at, state, input_tokens, output_tokens)
     values ('over', 1, '1', '', now(), 'succeeded', 5, 1), ('over', 2, '2', '', now(), 'succeeded', 3, 2),
       ('over', 3, '3', '', now(), 'failed', null, null), ('over', 4, '4', '', now(), 'left', null, null),
       ('silent', 1, '1', '', now(), 'succeeded', null, null), ('open', 1, '1', '', now(), 'succeeded', 1, 1),
       ('job', 1, '1', '', now(), 'succeeded', null, null)`,
  );
  await goOn();
  const { rows } = await client.query('select id, counts from batches order by id');
  expect(rows).toEqual([
    { id: 'job', counts: null },
    { id: 'open', counts: null },
    { id: 'over', counts: { succeeded: 2, failed: 1, tokens: { input: 8, cached: 0, output: 3, reasoning: 0 } } },
    { id: 'silent', counts: { succeeded: 1, failed: 0, tokens: null } },
  ]);
});
