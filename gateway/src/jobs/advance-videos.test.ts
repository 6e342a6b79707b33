// Video jobs of accounts whose own upstreams hang.

import { expect, test } from 'vitest';
import type { VideoJob } from '../canonical/video-job.ts';
import type { BusyVideos } from '../modules/videos/videos.ts';
import type { AdvanceVideoServices } from '../pipeline/videos/advance-video.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startVideoAdvance } from './advance-videos.ts';

const jobOf = (id: string, accountId: string, byokKeyId: string | null = 'byok-1') =>
  ({ id, accountId, phase: 'open', byokKeyId, modelId: 'acme/film' }) as unknown as VideoJob;

/** Begins what is due, and hears of nothing again. Answers what was begun. */
async function begin(waiting: VideoJob[], untilBegun: string): Promise<string[]> {
  const begun: string[] = [];
  const isFree = ({ accountId, byokKeyId }: VideoJob, { accountIds, ownUpstreams }: BusyVideos): boolean =>
    !accountIds.includes(accountId) && !(ownUpstreams && byokKeyId !== null);
  const services = {
    byok: { upstreamsOf: () => new Promise(() => {}) },
    catalog: { current: () => new Promise(() => {}) },
    videos: {
      async claimDue(limit: number, busy: BusyVideos) {
        const due = waiting.filter((job) => isFree(job, busy)).slice(0, limit);
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
  await expect.poll(() => begun).toContain(untilBegun);
  await stop();
  return begun;
}

test('they leave room for those of others', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, 'org-hanging'));
  waiting.push(jobOf('job-of-another', 'org-other'));
  expect((await begin(waiting, 'job-of-another')).length).toBeLessThanOrEqual(9);
});

test('DOS-1 those of many accounts leave half of the places to the jobs of providers', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, `org-${index % 10}`));
  waiting.push(jobOf('job-of-a-provider', 'usr-1', null));
  expect((await begin(waiting, 'job-of-a-provider')).length).toBeLessThanOrEqual(17);
});
