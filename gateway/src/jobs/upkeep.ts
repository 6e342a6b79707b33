// Regular work that nobody waits for, a row each. Any number of processes may do it at once. What is removed here has
// expired for its readers already, so a round that fails is reported and left to the next.

import { HOUR_MS } from '../canonical/calendar.ts';
import type { Savings } from '../modules/answers/savings.ts';
import type { Edu } from '../modules/edu/create-edu.ts';
import type { Evidence } from '../modules/guardrails/moderation/evidence.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import type { Media } from '../modules/media/media.ts';
import type { OwnerNotices } from '../modules/notices/notices.ts';
import { REPEATS_BEAT_MS, type Repeats } from '../modules/repeats/repeats.ts';
import type { RootSecrets } from '../modules/root-secret/root-secrets.ts';
import type { RouteHistory } from '../modules/routing/history.ts';
import type { Steps } from '../modules/signin/factors/steps.ts';
import type { Sessions } from '../modules/signin/sessions.ts';
import type { SignOn } from '../modules/signin/sign-on/sign-on.ts';
import type { SignIn } from '../modules/signin/signin.ts';
import type { Throttle } from '../modules/signin/throttle.ts';
import type { Clock } from '../platform/clock.ts';
import { inTurn } from '../platform/in-turn.ts';
import type { JobMetrics } from '../platform/job-metrics.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const ROOT_SECRET_INTERVAL_MS = 15_000;

type UpkeepServices = Readonly<{
  edu: Pick<Edu, 'forgetOld'>;
  evidence: Pick<Evidence, 'forgetOlderThan'>;
  evidenceDays(): number;
  ledger: Pick<Ledger, 'status'>;
  media: Pick<Media, 'sweep'>;
  openSessions: Pick<Sessions, 'forgetExpired'>;
  ownerNotices: Pick<OwnerNotices, 'look'>;
  repeats: Pick<Repeats, 'beat' | 'sweep'>;
  rootSecrets: Pick<RootSecrets, 'advance'>;
  routeHistory: Pick<RouteHistory, 'write'>;
  savings: Pick<Savings, 'write'>;
  secondFactors: Readonly<{ steps: Pick<Steps, 'forgetExpired'> }>;
  signIn: Pick<SignIn, 'forgetExpired'>;
  signOn: Pick<SignOn, 'checkDue'>;
  throttle: Pick<Throttle, 'forgetOld'>;
}>;

type Upkeep = Readonly<{
  /** In metrics; null where rounds are not counted. */
  name: string | null;
  intervalMs: number;
  run(): Promise<unknown>;
  /** What is logged when a round fails. */
  failure: string;
  beginsAtOnce?: true;
  /** A last round writes what has gathered since the one before. */
  endsWithRound?: true;
}>;

// biome-ignore format: a table reads best with one row a line.
const upkeepOf = (services: UpkeepServices): readonly Upkeep[] => {
  const { edu, evidence, evidenceDays, ledger, media, openSessions, ownerNotices, repeats } = services;
  const { rootSecrets, routeHistory, savings, secondFactors, signIn, signOn, throttle } = services;
  const signInData = 'old sign-in data could not be removed';
  const repeatRows = 'the rows of repeatable calls could not be renewed or removed';
  return [
    { name: 'sessions', intervalMs: HOUR_MS, run: () => openSessions.forgetExpired(), failure: signInData },
    { name: 'sign-in', intervalMs: HOUR_MS, run: () => inTurn([signIn.forgetExpired, secondFactors.steps.forgetExpired]), failure: signInData },
    { name: 'throttle', intervalMs: HOUR_MS, run: () => throttle.forgetOld(), failure: signInData },
    { name: 'institutions', intervalMs: HOUR_MS, run: () => edu.forgetOld(), failure: 'old sessions could not be removed' },
    { name: 'evidence', intervalMs: HOUR_MS, run: () => evidence.forgetOlderThan(evidenceDays()), failure: 'old evidence could not be removed' },
    { name: 'media', intervalMs: 600_000, run: () => media.sweep(), failure: 'old pictures could not be removed' },
    { name: 'repeats', intervalMs: 60_000, run: () => repeats.sweep(), failure: repeatRows },
    { name: null, intervalMs: REPEATS_BEAT_MS, run: () => repeats.beat(), failure: repeatRows },
    { name: 'sign-on', intervalMs: 60_000, run: () => signOn.checkDue(), failure: 'sessions could not be checked' },
    { name: 'route-history', intervalMs: 60_000, run: () => routeHistory.write(), failure: 'the history of routes was not written', endsWithRound: true },
    { name: 'root-secret', intervalMs: ROOT_SECRET_INTERVAL_MS, run: () => rootSecrets.advance(ledger.status().processId), failure: 'the change of the root secret is held up' },
    { name: 'savings', intervalMs: 5_000, run: () => savings.write(), failure: 'the savings of the cache were not written', endsWithRound: true },
    { name: 'notice-causes', intervalMs: 2_000, run: () => ownerNotices.look(), failure: 'causes for notices could not be looked for', beginsAtOnce: true },
  ];
};

type UpkeepOptions = UpkeepServices &
  Readonly<{ clock: Clock; logger: Logger; metrics: Readonly<{ jobs: Pick<JobMetrics, 'job'> }> }>;

/** Answers functions that stop it and wait for the rounds under way. */
export const startUpkeep = (options: UpkeepOptions): readonly (() => Promise<void>)[] =>
  upkeepOf(options).map((upkeep) => start(upkeep, options));

function start({ name, intervalMs, run, failure, ...at }: Upkeep, { clock, logger, metrics }: UpkeepOptions) {
  const count = name === null ? null : metrics.jobs.job(name, intervalMs, clock);
  const round = () => (count === null ? run() : count(run()));
  const { now, stop } = startRounds(round, { intervalMs, failure, clock, logger });
  if (at.beginsAtOnce) void now();
  return async (): Promise<void> => {
    await stop();
    if (at.endsWithRound) await now();
  };
}
