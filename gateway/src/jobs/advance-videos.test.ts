// Video jobs of accounts whose own upstreams hang.

import { expect, onTestFinished, test } from 'vitest';
import type { VideoJob } from '../canonical/video-job.ts';
import type { BusyVideos } from '../modules/videos/videos.ts';
import type { AdvanceVideoServices } from '../pipeline/videos/advance-video.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startVideoAdvance } from './advance-videos.ts';

const jobOf = (id: string, accountId: string, byokKeyId: string | null = 'byok-1') =>
  ({ id, accountId, phase: 'submitting', byokKeyId, modelId: 'acme/film' }) as unknown as VideoJob;

type Bench = Readonly<{
  waiting: VideoJob[];
  begun: VideoJob[];
  /** As often as a second passes. */
  look(): Promise<void>;
  /** The upstreams of what is under way answer after so long. */
  answer(afterMs: number, jobs?: readonly VideoJob[]): void;
}>;

/** A queue in memory, from which jobs are claimed in their order; their upstreams answer when the test says so. */
function startBench(waiting: VideoJob[]): Bench {
  const begun: VideoJob[] = [];
  const answers = new Map<string, () => void>();
  let nowMs = 0;
  let look = (): void => {};
  const isFree = ({ accountId, byokKeyId }: VideoJob, busy: BusyVideos): boolean =>
    !busy.accountIds.includes(accountId) &&
    (byokKeyId === null || !(busy.ownUpstreams || busy.ownUpstreamsOf.includes(accountId)));
  const services = {
    videos: {
      async claimDue(limit: number, busy: BusyVideos) {
        const due = waiting.filter((job) => isFree(job, busy)).slice(0, limit);
        for (const job of due) waiting.splice(waiting.indexOf(job), 1);
        begun.push(...due);
        return due;
      },
      isLost: () => false,
      postponeSearch: ({ id }: VideoJob) => new Promise<void>((resolve) => answers.set(id, resolve)),
    },
    byok: { upstreamsOf: async () => new Map() },
    catalog: { current: () => ({ providers: new Map() }) },
    clock: {
      ...systemClock,
      monotonicMs: () => nowMs,
      every(_intervalMs: number, run: () => void) {
        look = run;
        return () => {};
      },
      sleep: async () => {},
    },
    logger: silentLogger,
  } as unknown as AdvanceVideoServices;
  onTestFinished(startVideoAdvance(services));
  return {
    waiting,
    begun,
    async look() {
      await settled();
      look();
      await settled();
    },
    answer(afterMs, jobs = begun) {
      nowMs += afterMs;
      for (const { id } of jobs) answers.get(id)?.();
    },
  };
}

/** Everything here is in memory, so what can go on has gone on after a few rounds. */
async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

const idsOf = (jobs: readonly VideoJob[]): string[] => jobs.map(({ id }) => id);

const ofAccount = (jobs: readonly VideoJob[], accountId: string): number =>
  jobs.filter((job) => job.accountId === accountId).length;

test('they leave room for those of others', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, 'org-hanging'));
  const { begun, look } = startBench([...waiting, jobOf('job-of-another', 'org-other')]);
  await look();
  expect(idsOf(begun)).toContain('job-of-another');
  expect(begun).toHaveLength(9);
});

test('DOS-1 those of many accounts leave half of the places to the jobs of providers', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, `org-${index % 10}`));
  const { begun, look } = startBench([...waiting, jobOf('job-of-a-provider', 'usr-1', null)]);
  await look();
  expect(idsOf(begun)).toContain('job-of-a-provider');
  expect(begun).toHaveLength(17);
});

test('DOS-1 the next place is for an account that has nothing under way, however many jobs wait longer', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`, `org-${index % 2}`));
  const bench = startBench(waiting);
  await bench.look();
  expect(bench.begun).toHaveLength(16);
  bench.begun.length = 0;
  bench.waiting.push(jobOf('job-of-another', 'org-other'), jobOf('job-later', 'org-later'));
  bench.answer(4_000, [jobOf('job-0', 'org-0'), jobOf('job-1', 'org-1')]);
  await bench.look();
  expect(idsOf(bench.begun)).toEqual(['job-of-another', 'job-later']);
});

test('DOS-1 accounts whose upstreams hang have half of the places for own upstreams together', async () => {
  const hanging = Array.from({ length: 200 }, (_, index) => jobOf(`job-${index}`, `org-${index % 16}`));
  const bench = startBench(hanging);
  await bench.look();
  expect(bench.begun).toHaveLength(16);
  const slow = new Set(bench.begun.map(({ accountId }) => accountId));
  bench.waiting.splice(0, Number.POSITIVE_INFINITY, ...hanging.filter(({ accountId }) => slow.has(accountId)));
  bench.waiting.push(...Array.from({ length: 8 }, (_, index) => jobOf(`quick-${index}`, 'org-quick')));
  bench.answer(25_000);
  bench.begun.length = 0;
  await bench.look();
  expect(bench.begun).toHaveLength(16);
  expect(ofAccount(bench.begun, 'org-quick')).toBe(8);
});
