// The load generator as a process: jobs come as messages and results are sent back. It runs for the whole benchmark, so
// that all targets are called by the same warm code.

import type { JobMessage, ResultMessage } from './job.ts';
import { runJob } from './run-job.ts';

process.on('message', async ({ id, job }: JobMessage) => {
  const message: ResultMessage = { id, result: await runJob(job) };
  process.send?.(message);
});
process.on('disconnect', () => process.exit());
process.send?.({});
