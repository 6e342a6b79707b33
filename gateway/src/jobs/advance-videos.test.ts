// Video jobs of an account whose own upstream hangs.

import { expect, test } from 'vitest';
import type { VideoJob } from '../canonical/video-job.ts';
import type { AdvanceVideoServices } from '../pipeline/videos/advance-video.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startVideoAdvance } from './advance-videos.ts';

const jobOf = (id: string, accountId: string) =>
  ({ id, accountId, phase: 'open', byokKeyId: 'byok-1', modelId: 'acme/film' }) as unknown as VideoJob;

test('they leave room for those of others', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, 'org-hanging'));
  waiting.push(jobOf('job-of-another', 'org-other'));
  const begun: string[] = [];
  const services = {
    byok: { upstreamsOf: () => new Promise(() => {}) },
    videos: {
      async claimDue(limit: number, busyAccountIds: readonly string[]) {
        const due = waiting.filter(({ accountId }) => !busyAccountIds.includes(accountId)).slice(0, limit);
        for (const job of due) {
          waiting.splice(waiting.indexOf(job), 1);
          begun.push(job.id);
        }
        return due;
      },
    },
    clock: { ...systemClock, every: () => () => {}, sleep: async () => {} },
    logger: silentLogger,
  } as unknown as AdvanceVideoServices;
  const stop = startVideoAdvance(services);
  await expect.poll(() => begun).toContain('job-of-another');
  await stop();
  expect(begun.length).toBeLessThanOrEqual(9);
});
