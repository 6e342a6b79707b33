// Makes everything that an endpoint may need. Parts are joined here and nowhere else.

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAY_MS } from '../canonical/calendar.ts';
import type { UpstreamTimeouts } from '../canonical/model.ts';
import { createSessionFinder } from '../endpoints/auth/session-finder.ts';
import { createOperatorGate } from '../endpoints/operator-gate.ts';
import type { Services } from '../endpoints/services.ts';
import type { Readiness } from '../endpoints/system/health.ts';
import { largeBodyBytes } from '../http/body.ts';
import { createUploads } from '../http/uploads.ts';
import { createAnswers } from '../modules/answers/answers.ts';
import { createSavings } from '../modules/answers/savings.ts';
import { createOperatorLog } from '../modules/audit/operator-log.ts';
import { createBatches } from '../modules/batches/batches.ts';
import { createFiles } from '../modules/batches/files.ts';
import { createHanded } from '../modules/batches/handed.ts';
import { createJobs } from '../modules/batches/jobs.ts';
import { createLineSeal } from '../modules/batches/sealing.ts';
import { createClientAddress } from '../modules/identity/client-address.ts';
import { createBooks } from '../modules/ledger/books.ts';
import { openBrake } from '../modules/ledger/brake.ts';
import { createEntries, createMovements } from '../modules/ledger/entries.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { openExposure } from '../modules/limits/exposure.ts';
import { OwnCalls } from '../modules/limits/own-calls.ts';
import { createCreditCheck } from '../modules/limits/tier.ts';
import { createOperators } from '../modules/operators/operators.ts';
import { type DirectorySearch, searchOrganizations } from '../modules/orgs/store/directory.ts';
import { createRepeats } from '../modules/repeats/repeats.ts';
import { readWeights, readWords } from '../modules/routing/auto/auto-data.ts';
import { createClassifier, createWhenAsked } from '../modules/routing/auto/classifier.ts';
import { createRouteHistory } from '../modules/routing/history.ts';
import { createRouting, type RoutingOptions } from '../modules/routing/routing.ts';
import { createTranscripts } from '../modules/transcripts/transcripts.ts';
import { createCalls } from '../modules/usage/calls.ts';
import { createExplanations } from '../modules/usage/explanation.ts';
import { createOpenCalls } from '../modules/usage/open-calls.ts';
import { createOrganizationReports } from '../modules/usage/organization-report.ts';
import { createOverviews } from '../modules/usage/overview.ts';
import { createRefusals } from '../modules/usage/refusals.ts';
import { createUsageUpkeep } from '../modules/usage/upkeep.ts';
import { createUsageReports } from '../modules/usage/usage.ts';
import { createUsualOutput } from '../modules/usage/usual-output.ts';
import { AnswerRoom } from '../pipeline/answer-room.ts';
import { KeepAlive } from '../pipeline/keep-alive.ts';
import type { Clock } from '../platform/clock.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createPseudonyms } from '../platform/pseudonyms.ts';
import { createGuardrails } from './guardrails.ts';
import { createLimits, openLedger, watchRoutes } from './ledger.ts';
import { createMedia, createVideoParts } from './media.ts';
import { createFeedParts, createJobParts, createNoticeParts } from './notices.ts';
import type { Given, Parts } from './parts.ts';
import { createBilling, createCallers, createPeople } from './people.ts';
import { openMetrics, openTracing } from './tracing.ts';
import { createOwnUpstreams } from './upstreams.ts';

/** A whole answer comes only when the model has finished, so it may take minutes. */
const DEFAULT_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 10_000,
  wholeFirstByteMs: 300_000,
  streamFirstByteMs: 60_000,
  idleMs: 60_000,
  totalMs: 1_800_000,
};

/** How often everything is checked, besides the daily check of what is new. */
const FULL_CHECK_MS = 7 * DAY_MS;

/** The same folder seen from src/ and from dist/. */
const consoleFolder = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

export async function createServices(parts: Parts, given: Given): Promise<Services> {
  const { config, options, clock, logger, storage } = parts;
  const { database, notices } = storage;
  const { identity, ...callers } = createCallers(parts, given);
  const readings = createReadings(parts);
  const exposure = await openExposure({
    ...{ database, notices, clock, logger },
    rules: () => given.catalog.current().unpaid,
    spendable: (accountId) => ledger.spendable(accountId),
    paidLately: (accountId) => readings.usage.paidLately(accountId, clock.nowMs()),
  });
  const metrics = openMetrics(parts);
  const outgoing = createOutgoing(parts, given, metrics, () => checkBooks(ledger, clock));
  const { onTripped, onIsolated, ...towards } = outgoing;
  const ledger = await openLedger(parts, metrics, { exposure, onTripped });
  const people = createPeople(parts, given, towards.outbound);
  const site = { siteUrl: given.siteUrl, isSiteUrlSet: config.siteUrl !== null };
  const sessions = createSessionFinder({ openSessions: people.openSessions, ...site });
  return {
    ...(await createBilling(parts, given, { identity, ledger, people, books: readings.books })),
    clock,
    logger,
    metrics,
    database,
    catalog: given.catalog,
    rootSecrets: given.rootSecrets,
    autoClassifier: createWhenAsked(() => createClassifier(readWords(), readWeights())),
    identity,
    ...callers,
    ledger,
    brake: await openBrake({ database, notices, logger }),
    exposure,
    ...readings,
    ...createKept(parts, given, { metrics, ledger }),
    openCalls: createOpenCalls(storage.redis?.bus ?? null, clock),
    ...towards,
    ...createMedia(parts, given, towards.outbound),
    ...createRoutes(parts, given, metrics, onIsolated),
    keepAlive: new KeepAlive(clock),
    answerRoom: openAnswerRoom(metrics),
    tracer: openTracing(parts, metrics),
    uploads: createUploads(join(config.dataDir, 'uploads')),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    pseudonyms: createPseudonyms(given.secret.hashing),
    ...createGuardrails(parts, given, { outbound: towards.outbound, purpose: towards.callbackPurpose }),
    clientIpHeader: config.clientIpHeader,
    listenHost: config.metricsListen === null ? config.host : '',
    ...createLimits(parts),
    requestRates: () => given.catalog.current().limits,
    ...people,
    sessions,
    mailer: given.mailer,
    ...createDoors(parts, given, sessions),
    consoleFolder,
    ...site,
    ...createReadiness(parts, given, ledger),
  };
}

function createReadiness({ options, storage }: Parts, given: Given, ledger: Ledger): Readiness {
  return {
    isStarting: options.isStarting ?? (() => false),
    isDraining: given.isDraining,
    isDatabaseReachable: () => storage.database.isReachable(),
    isLedgerServing: () => ledger.status().isServing,
  };
}

function openAnswerRoom(metrics: Metrics): AnswerRoom {
  const room = new AnswerRoom();
  metrics.watch({
    name: 'tollgate_large_answer_bytes',
    kind: 'gauge',
    help: 'Memory that answers of more than a megabyte take until their clients have read them.',
    read: () => room.heldBytes,
  });
  metrics.watch({
    name: 'tollgate_large_body_bytes',
    kind: 'gauge',
    help: 'Memory that request bodies of more than a megabyte take until their calls are over.',
    read: largeBodyBytes,
  });
  return room;
}

/** Who is asked, and how they did. */
function createRoutes(
  { options, clock, logger, storage: { database } }: Parts,
  { catalog }: Given,
  metrics: Metrics,
  onIsolated: NonNullable<RoutingOptions['onIsolated']>,
): Pick<Services, 'routing' | 'routeHistory'> {
  const random = options.random ?? Math.random;
  const routing = createRouting({ clock, logger, metrics, random, onIsolated });
  watchRoutes(metrics, { catalog, routing, clock });
  return { routing, routeHistory: createRouteHistory({ database, clock, takeSums: () => routing.takeSums() }) };
}

async function freeDiskShare(folder: string): Promise<number | null> {
  try {
    const { bavail, blocks } = await statfs(folder);
    return blocks === 0 ? null : bavail / blocks;
  } catch {
    return null;
  }
}

/** The discrepancies of the daily check, and once a week of the check of everything. */
async function checkBooks(ledger: Pick<Ledger, 'check'>, clock: Clock): Promise<readonly string[]> {
  const news = await ledger.check('new');
  const isLongAgo = clock.nowMs() - (news.everythingAt?.getTime() ?? 0) > FULL_CHECK_MS;
  return isLongAgo ? (await ledger.check('everything')).discrepancies : news.discrepancies;
}

/** Everything that calls addresses of customers, except media. */
function createOutgoing(parts: Parts, given: Given, metrics: Metrics, checkBooks: () => Promise<readonly string[]>) {
  const upstreams = createOwnUpstreams(parts, given, metrics);
  const { outbound } = upstreams;
  const videos = createVideoParts(parts, given, outbound);
  const purpose = videos.callbackPurpose;
  const jobs = createJobParts(parts, given, { outbound, purpose });
  return {
    ...upstreams,
    ...videos,
    ...jobs,
    ...createNoticeParts(parts, given, { outbound, purpose, checkBooks }),
    ...createFeedParts(parts, given, { outbound, purpose }),
  };
}

/** What is kept for callers: answers that are given again, files and batches, prompts for who wants that. */
function createKept(
  { config, clock, logger, storage: { database, redis } }: Parts,
  { secret, catalog }: Given,
  { metrics, ledger }: Readonly<{ metrics: Pick<Metrics, 'watch'>; ledger: Pick<Ledger, 'account'> }>,
): Pick<
  Services,
  'repeats' | 'answers' | 'savings' | 'files' | 'batches' | 'handed' | 'jobs' | 'transcripts' | 'ownCalls'
> {
  const hasHadCredit = createCreditCheck((accountId) => ledger.account(accountId));
  const answers = createAnswers({
    clock,
    hasHadCredit,
    hashKey: deriveKey(secret.hashing, 'answers'),
    sealingKey: secret.sealingKey('answers', 'answers.content'),
    redis: redis?.redis ?? null,
    redisBytesMax: config.answersRedisBytesMax,
  });
  const watch = (name: string, kind: 'counter' | 'gauge', help: string, read: () => number): void =>
    metrics.watch({ name: `tollgate_answer_cache_${name}`, kind, help, read });
  watch('hits_total', 'counter', 'Calls that were answered from the cache.', () => answers.figures().hits);
  watch('misses_total', 'counter', 'Calls that asked for the cache and were not.', () => answers.figures().misses);
  watch('bytes', 'gauge', 'Memory that the cache of answers takes.', () => answers.figures().bytes);
  const lineSeal = createLineSeal(secret.sealingKey('batches', 'batches.content'));
  const kept = { database, clock, hasHadCredit };
  const files = createFiles({ ...kept, sealingKey: secret.sealingKey('files', 'files.content') });
  return {
    ownCalls: new OwnCalls({ clock, hasHadCredit, perDay: () => catalog.current().limits.ownCallsPerDay }),
    answers,
    savings: createSavings({ database, clock }),
    transcripts: createTranscripts({ ...kept, logger, sealingKey: secret.sealingKey('transcripts') }),
    files,
    batches: createBatches({ ...kept, lineSeal, files, linesAtOnce: config.batchLinesAtOnce }),
    handed: createHanded({ database, clock, lineSeal }),
    jobs: createJobs({ ...kept, lineSeal }),
    repeats: createRepeats({
      ...kept,
      hashKey: deriveKey(secret.hashing, 'repeats'),
      sealingKey: secret.sealingKey('repeats', 'repeats.answer'),
    }),
  };
}

/** What calls have left behind, for those who read it. */
const createReadings = ({ config, clock, logger, storage: { database, reader, connectSession } }: Parts) => ({
  searchOrganizations: (search: DirectorySearch) => searchOrganizations(database, search),
  refusals: createRefusals({ database, clock, logger }),
  freeDiskShare: () => freeDiskShare(config.dataDir),
  usualOutput: createUsualOutput(),
  entries: createEntries(database),
  books: createBooks({ connect: connectSession, database, clock, logger }),
  movements: createMovements(database),
  calls: createCalls(database),
  overviews: createOverviews(database),
  usage: createUsageReports(database, reader.queryable),
  organizationReports: createOrganizationReports(reader.queryable),
  explanations: createExplanations(database),
  usageUpkeep: createUsageUpkeep(database),
});

/** Where a request comes from, and whether it comes from an operator. */
function createDoors(
  { config, clock, logger, storage: { database } }: Parts,
  { adminToken: operatorToken, catalog }: Given,
  sessions: Services['sessions'],
): Pick<Services, 'clientAddress' | 'operators' | 'operatorLog' | 'operatorGate'> {
  const { clientIpHeader: header, trustedProxies } = config;
  if ((header === null) !== (trustedProxies.length === 0)) {
    const what = header === null ? 'clients seem to have the address of a proxy' : "no client's address is known";
    logger.warn({}, `TOLLGATE_CLIENT_IP_HEADER and TOLLGATE_TRUSTED_PROXIES need each other: ${what}`);
  }
  const clientAddress = createClientAddress({ header, trustedProxies });
  const operatorLog = createOperatorLog({ database, clock, logger });
  const operators = createOperators({ database, clock });
  const needsSecondFactor = (): boolean => catalog.current().accounts.operatorsNeedSecondFactor;
  const own = { operatorToken, operators, operatorLog, sessions, needsSecondFactor };
  const operatorGate = createOperatorGate({ ...own, clientAddress, clock, logger });
  return { clientAddress, operators, operatorLog, operatorGate };
}
