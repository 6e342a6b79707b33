// Metrics of background jobs: when each last succeeded, how often it failed, and how long the oldest due work has
// waited. All processes share the work, so their best and worst figures count together; the label is `name`, because
// Prometheus uses `job` itself.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from './clock.ts';

export type JobMetrics = Readonly<{
  /** Registers a job with its interval, and answers how to count one round of it. */
  job(name: string, intervalMs: number, clock: Clock): CountRound;
  /** Work that may be late; null where nothing is due. */
  due(name: string, ageMs: () => number | null): void;
  /** Jobs that have not succeeded for several intervals; changing the wall clock makes none late. */
  late(monotonicMs: number): readonly string[];
}>;

/** Resolves and rejects as the round does. */
export type CountRound = <Value>(round: Promise<Value>) => Promise<Value>;

const TURNS_MAX = 4;
const PATIENCE_MS = 60_000;

type Job = { readonly intervalMs: number; succeededAtMs: number; succeededMonotonicMs: number };

const successNow = (clock: Clock): Pick<Job, 'succeededAtMs' | 'succeededMonotonicMs'> => ({
  succeededAtMs: clock.nowMs(),
  succeededMonotonicMs: clock.monotonicMs(),
});

export function createJobMetrics(registry: Registry): JobMetrics {
  const jobs = new Map<string, Job>();
  const ages = new Map<string, () => number | null>();
  const failures = new Counter({
    name: 'tollgate_job_failures_total',
    help: 'Rounds of background work that failed.',
    labelNames: ['name'] as const,
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => Iterable<readonly [string, number]>): void => {
    const made: Gauge<'name'> = new Gauge({
      ...{ name, help },
      labelNames: ['name'] as const,
      registers: [registry],
      collect() {
        for (const [label, value] of read()) made.set({ name: label }, value);
      },
    });
  };
  const ofJobs = (pick: (job: Job) => number) => () =>
    Array.from(jobs, ([name, job]): readonly [string, number] => [name, pick(job)]);
  gauge(
    'tollgate_job_last_success_timestamp_seconds',
    'When background work last succeeded; the start of the process before it first did.',
    ofJobs(({ succeededAtMs }) => succeededAtMs / 1000),
  );
  gauge(
    'tollgate_job_interval_seconds',
    'How often background work is done.',
    ofJobs(({ intervalMs }) => intervalMs / 1000),
  );
  gauge('tollgate_job_oldest_due_seconds', 'For how long the oldest thing has been due that nobody has done.', () =>
    Array.from(ages, ([name, age]): readonly [string, number] => [name, (age() ?? 0) / 1000]),
  );
  return {
    late(monotonicMs) {
      const isLate = ({ succeededMonotonicMs, intervalMs }: Job): boolean =>
        monotonicMs - succeededMonotonicMs > TURNS_MAX * intervalMs + PATIENCE_MS;
      return [...jobs].filter(([, job]) => isLate(job)).map(([name]) => name);
    },
    job(name, intervalMs, clock) {
      const job: Job = { intervalMs, ...successNow(clock) };
      jobs.set(name, job);
      failures.inc({ name }, 0);
      return async (round) => {
        try {
          const value = await round;
          Object.assign(job, successNow(clock));
          return value;
        } catch (error) {
          failures.inc({ name });
          throw error;
        }
      };
    },
    due: (name, ageMs) => {
      ages.set(name, ageMs);
    },
  };
}
