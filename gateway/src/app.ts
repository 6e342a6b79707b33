// The life of a gateway: start, serve, stop. The parts are made and joined in wiring/. The order matters: what is
// started first is stopped last, so that a running call finds everything it needs.

import { mkdir } from 'node:fs/promises';
import { type Config, ConfigError } from './config.ts';
import type { Services } from './endpoints/services.ts';
import { startMeasurementExchange } from './jobs/exchange-measurements.ts';
import { MONTHS_INTERVAL_MS, startPartitions } from './jobs/partitions.ts';
import { startRefreshingSecrets } from './jobs/refresh-secrets.ts';
import { checkFile, createCatalog } from './modules/catalog/catalog.ts';
import { ConfigDocumentError } from './modules/catalog/config-problem.ts';
import { readConfigSource } from './modules/catalog/config-source.ts';
import type { Variables } from './modules/catalog/parse-document.ts';
import { RootSecretError, type RootSecrets } from './modules/root-secret/root-secrets.ts';
import { findSlips } from './pipeline/providers/guard-prices.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { deriveKey } from './platform/crypto.ts';
import { followDatabase } from './platform/db/database-clock.ts';
import { createPinoLogger } from './platform/pino-logger.ts';
import type { RootSecret } from './platform/root-secret.ts';
import { loadOrCreateAdminToken, loadOrCreateSecret } from './platform/secrets.ts';
import { createSecretRefresh, type KeptReferences, readReferences } from './wiring/config-secrets.ts';
import { startJobs } from './wiring/jobs.ts';
import { openListeners } from './wiring/listeners.ts';
import type { Parts, StartOptions } from './wiring/parts.ts';
import { createMail } from './wiring/people.ts';
import { createServices } from './wiring/services.ts';
import { openStorage } from './wiring/storage.ts';

export type { StartOptions } from './wiring/parts.ts';

export type RunningApp = Readonly<{
  url: string;
  siteUrl: string;
  adminToken: string;
  /** The operator token when this start made it, to be shown once. */
  newAdminToken: string | null;
  /** What the config file changed at this start, line by line. */
  configDifference: readonly string[];
  /** Lets running calls end until the deadline, then stops everything in order. */
  close(drainDeadlineMs: number): Promise<void>;
}>;

export async function startApp(config: Config, options: StartOptions = {}): Promise<RunningApp> {
  const machine = options.clock ?? systemClock;
  const logger = options.logger ?? createPinoLogger(config.logLevel);
  const file = await readConfigFile(config, machine, options.variables ?? {});
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const secret = config.secret ?? (await loadOrCreateSecret(config.dataDir)).value;
  const storage = await openStorage({ config, secret, clock: machine, logger }).catch(refuseSecret);
  const follower = followDatabase(machine, storage.database, logger);
  try {
    // A clock that the caller sets is used as it is.
    if (options.clock === undefined || options.followsDatabaseClock === true) await follower.measure();
    else follower.stop();
    const parts = { config, options, clock: follower.clock, logger, storage };
    const app = await assemble(parts, storage.rootSecrets, file).catch(refuseSecret);
    return {
      ...app,
      close(drainDeadlineMs) {
        follower.stop();
        return app.close(drainDeadlineMs);
      },
    };
  } catch (error) {
    follower.stop();
    await storage.close();
    throw error;
  }
}

/** A secret that does not fit is the operator's to correct, too. */
function refuseSecret(error: unknown): never {
  if (error instanceof RootSecretError) throw new ConfigError([error.message]);
  throw error;
}

type ConfigFile = KeptReferences & Readonly<{ variables: Variables }>;

/**
 * Problems of the config file are the operator's to correct: the message has the file's name and the places, and no
 * stack. They are found before the database is touched, so that the old build can still be started.
 */
async function readConfigFile(config: Config, clock: Clock, lateVariables: Variables): Promise<ConfigFile> {
  const { configFile } = config;
  try {
    const source = await readConfigSource(configFile);
    const references = await readReferences(source, config, clock);
    const variables = { ...config.variables, ...lateVariables, ...references };
    checkFile(source, variables, lateVariables);
    return { source, references, variables };
  } catch (error) {
    if (error instanceof ConfigDocumentError)
      throw new ConfigError(error.problems, configFile ?? 'The built-in catalog');
    if (configFile === null || !isFileError(error)) throw error;
    throw new ConfigError([`TOLLGATE_CONFIG: the file cannot be read (${error.code})`], configFile);
  }
}

/**
 * At the start an operator's file is applied as it is, with a warning for prices that look like mistakes. Nothing waits
 * for this.
 */
function warnOfSlips({ catalog, priceBooks, clock, logger }: Services): void {
  const tell = async (): Promise<void> => {
    const slips = findSlips({}, catalog.liveDocument(), await priceBooks.current(), clock.nowMs());
    for (const slip of slips)
      logger.warn({ alert: 'price', slip }, 'a price in the config file looks like a slip of the unit');
  };
  tell().catch((error: unknown) =>
    logger.warn({ error: String(error) }, 'the prices of the config file could not be looked up'),
  );
}

const isFileError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && /^E(?:NOENT|ACCES|ISDIR|PERM|NOTDIR)$/.test((error as { code?: string }).code ?? '');

function startMonths(
  { config, clock, logger }: Parts,
  { usageUpkeep, books, audit, metrics }: Services,
): Promise<() => Promise<void>> {
  const countRound = metrics.jobs.job('months', MONTHS_INTERVAL_MS, clock);
  const ensureMonths = (nowMs: number) => countRound(usageUpkeep.ensureMonths(nowMs));
  const { hoursKeepDays, auditKeepDays } = config;
  const upkeep = { usageUpkeep: { ...usageUpkeep, ensureMonths }, books, audit };
  return startPartitions({ ...upkeep, hoursKeepDays, auditKeepDays, clock, logger });
}

const catalogKeys = (secret: RootSecret) => ({
  sealingKey: secret.sealingKey('catalog', 'catalog.api-keys'),
  digestKey: deriveKey(deriveKey(secret.hashing, 'catalog'), 'catalog.file-digest'),
});

async function assemble(parts: Parts, rootSecrets: RootSecrets, file: ConfigFile): Promise<RunningApp> {
  const { config, options, clock, logger, storage } = parts;
  const keptToken = config.adminToken === null ? await loadOrCreateAdminToken(config.dataDir) : null;
  const adminToken = config.adminToken ?? keptToken?.value ?? '';

  const lateVariables = options.variables ?? {};
  const { database, notices } = storage;
  const { secret } = rootSecrets;
  const catalog = await createCatalog({ database, notices, ...catalogKeys(secret), clock, logger, lateVariables });
  const change = await catalog.applyFile(file.source, file.variables);
  const refresh = createSecretRefresh(catalog, file, { config, clock, lateVariables });

  const siteUrl = (): string => config.siteUrl ?? url;
  const isDraining = (): boolean => listening.isDraining();
  const mail = createMail(parts, secret, siteUrl);
  const given = { catalog, rootSecrets, secret, adminToken, siteUrl, isDraining, mailer: mail.queue };
  const services = await createServices(parts, given);
  await rootSecrets.join(services.ledger.status().processId);
  if (change.isApplied && config.configFile !== null) warnOfSlips(services);
  const stopPartitions = await startMonths(parts, services);
  const stopServing = async (): Promise<void> => {
    await closeServices(services);
    await stopPartitions();
    await catalog.close();
  };
  // The most frequent failure at a start: leased slices are returned now, and not at the next start.
  const listening = await openListeners(parts, services).catch(async (error: unknown) => {
    await stopServing();
    throw error;
  });
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listening.port}`;

  const stopJobs = startJobs(services, mail.queue, listening);
  const stopRefreshing = refresh === null ? async () => {} : startRefreshingSecrets({ refresh, clock, logger });
  const { redis } = storage;
  const stopExchange = redis === null ? () => {} : startMeasurementExchange({ ...services, bus: redis.bus });

  return {
    url,
    siteUrl: siteUrl(),
    adminToken,
    newAdminToken: keptToken?.isNew ? adminToken : null,
    configDifference: change.changes,
    async close(drainDeadlineMs) {
      await listening.close(drainDeadlineMs);
      await stopRefreshing();
      await stopJobs();
      stopExchange();
      mail.transport.close();
      await stopServing();
      await storage.close();
    },
  };
}

async function closeServices(services: Services): Promise<void> {
  services.keepAlive.close();
  await services.transport.close();
  await services.refusals.close();
  await services.ledger.close();
  await services.exposure.close();
  await services.filters.close();
  await services.guards.close();
  await services.transcripts.close();
  await services.tracer?.close();
}
