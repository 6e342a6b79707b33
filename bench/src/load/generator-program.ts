// The load generator as a process: jobs come in as messages and results go out. It stays up for the whole run, so that
// all targets are called by the same warm code.

import type { JobMessage, ResultMessage } from './job.ts';
import { runJob } from './run-job.ts';

process.on('message', async ({ id, job }: JobMessage) => {
  const message: ResultMessage = { id, result: await runJob(job) };
  process.send?.(message);
});
process.on('disconnect', () => process.exit());
process.send?.({});
