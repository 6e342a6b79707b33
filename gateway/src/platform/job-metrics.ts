// How background work does: when each kind last succeeded, how often it failed, and for how long the oldest thing has
// been waiting that it should have done. The work is shared by all processes, so the best and the worst of them count
// together; the label is `name`, because Prometheus keeps `job` for itself.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from './clock.ts';

export type JobMetrics = Readonly<{
  /** A kind of work that is done every so often, and how to have one round of it counted. */
  job(name: string, intervalMs: number, clock: Clock): CountRound;
  /** Work that may be late; null where nothing is due. */
  due(name: string, ageMs: () => number | null): void;
  /** Kinds of work that have not succeeded for several of their turns; a clock that is set anew makes none late. */
  late(monotonicMs: number): readonly string[];
}>;

/** Answers what the round answers and fails as it fails. */
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
