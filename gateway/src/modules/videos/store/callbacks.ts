// Calls to the addresses that owners gave with their videos.

import { callbackRows } from '../../../platform/db/callback-rows.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'video_callbacks_insert',
  `INSERT INTO video_callbacks (job_id, url, host, next_attempt_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (job_id) DO NOTHING`,
);

export const videoCallbackRows = callbackRows('video_callbacks', 'video_jobs');

export async function insertCallback(
  transaction: Queryable,
  { jobId, url, host, atMs }: Readonly<{ jobId: string; url: string; host: string; atMs: number }>,
): Promise<void> {
  await transaction.query(insertStatement, [jobId, url, host, new Date(atMs)]);
}
