// The things that paths of files, batches and jobs name: Ann's, each in the state that its route needs, and not due, so
// that no job changes them meanwhile.

import { rows } from '../identity/rows.ts';
import type { ParamsOf } from './row.ts';
import { newId, type World } from './world.ts';

export const annsFile: ParamsOf = async ({ harness, ann }) => {
  const id = newId('file');
  await rows(
    harness.databaseUrl,
    `insert into files (id, account_id, user_id, purpose, file_name, bytes, created_at, expires_at)
     values ($1, $2, $2, 'batch', 'in.jsonl', 2, now(), now() + interval '1 hour')`,
    [id, ann.userId],
  );
  return { id };
};

type Planted = Readonly<{ form: 'file' | 'messages' | 'job'; prefix: string; isOver: boolean }>;

const planted =
  ({ form, prefix, isOver }: Planted): ParamsOf =>
  async ({ harness, ann }: World) => {
    const id = `${prefix}${newId('x').slice(-24)}`;
    await rows(
      harness.databaseUrl,
      `insert into batches (id, account_id, user_id, key_id, endpoint, input_file_id, status, form, line_count,
                            created_at, begun_at, ended_at, expires_at, due_at)
       values ($1, $2, $2, 'key-x', '/v1/chat/completions', '', $3, $4, 1, now(), now(),
               case when $5 then now() end, now() + interval '1 hour', now() + interval '1 hour')`,
      [id, ann.userId, isOver ? 'completed' : form === 'file' ? 'in_progress' : 'running', form, isOver],
    );
    await rows(
      harness.databaseUrl,
      `insert into batch_lines (batch_id, line_no, custom_id, request, state, due_at)
       values ($1, 1, 'a', '', $2, now() + interval '1 hour')`,
      [id, isOver ? 'left' : 'running'],
    );
    return { id };
  };

export const annsBatch = planted({ form: 'file', prefix: 'batch-', isOver: false });
export const annsMessageBatch = planted({ form: 'messages', prefix: 'msgbatch_', isOver: false });
export const annsEndedMessageBatch = planted({ form: 'messages', prefix: 'msgbatch_', isOver: true });
export const annsJob = planted({ form: 'job', prefix: 'job_', isOver: false });
export const annsEndedJob = planted({ form: 'job', prefix: 'job_', isOver: true });
