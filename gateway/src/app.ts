// The composition root: the only place where the parts are made and joined. Order matters twice: what is started first
// is stopped last, so that a call that is still running finds everything it needs.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { createRoutes } from './endpoints/routes.ts';
import type { Services } from './endpoints/services.ts';
import { createHttpServer } from './http/server.ts';
import { startPaymentCompletion } from './jobs/complete-payments.ts';
import { startPartitions } from './jobs/partitions.ts';
import { type Catalog, createCatalog } from './modules/catalog/catalog.ts';
import { readConfigSource } from './modules/catalog/config-source.ts';
import { createClientAddress } from './modules/identity/client-address.ts';
import { createIdentity, type Identity } from './modules/identity/identity.ts';
import { createAccountTerms } from './modules/ledger/account-terms.ts';
import { openBrake } from './modules/ledger/brake.ts';
import { createLedger } from './modules/ledger/create-ledger.ts';
import type { Ledger } from './modules/ledger/ledger.ts';
import type { OnAbsorbed } from './modules/ledger/prepaid-ledger.ts';
import { createExposure } from './modules/limits/exposure.ts';
import { createRateLimiter } from './modules/limits/rate-limit.ts';
import { budgetsOfMember } from './modules/orgs/budgets.ts';
import { createOrganizations } from './modules/orgs/orgs.ts';
import { createStatements } from './modules/orgs/statements.ts';
import { createPayments } from './modules/payments/payments.ts';
import { createProviders } from './modules/payments/providers/all.ts';
import { readWeights, readWords } from './modules/routing/auto/auto-data.ts';
import { createClassifier } from './modules/routing/auto/classifier.ts';
import { createRouting } from './modules/routing/routing.ts';
import { createUsageUpkeep } from './modules/usage/upkeep.ts';
import { createUsage } from './modules/usage/usage.ts';
import { KeepAlive } from './pipeline/keep-alive.ts';
import type { UpstreamTimeouts } from './pipeline/prepare-attempt.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { deriveKey } from './platform/crypto.ts';
import { connectionConfig } from './platform/db/connection.ts';
import type { Database, Notices } from './platform/db/database.ts';
import { startEmbedded } from './platform/db/embedded/start-embedded.ts';
import { migrate, migrationsFolder } from './platform/db/migrate.ts';
import { openNotices } from './platform/db/notices.ts';
import { openDatabase } from './platform/db/postgres.ts';
import type { Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { createPinoLogger } from './platform/pino-logger.ts';
import { loadOrCreateAdminToken, loadOrCreateSecret } from './platform/secrets.ts';
import { createTransport } from './upstreams/transport/transport.ts';

export type StartOptions = Readonly<{
  /** What the built-in catalog refers to and only the starter knows, such as the simulator's address. */
  variables?: Readonly<Record<string, string>>;
  clock?: Clock;
  timeouts?: UpstreamTimeouts;
  logger?: Logger;
  /** From 0 up to 1; decides among providers. */
  random?(): number;
}>;

export type RunningApp = Readonly<{
  url: string;
  siteUrl: string;
  adminToken: string;
  /** The token when this start made it, to be shown once. */
  newAdminToken: string | null;
  /** What the config file changed at this start, line by line. */
  configDifference: readonly string[];
  /** Lets running calls end until the deadline, then stops everything in order. */
  close(drainDeadlineMs: number): Promise<void>;
}>;

/** The same place seen from src/ and from dist/. */
const consoleFolder = fileURLToPath(new URL('../../console/public/', import.meta.url));

/** Connect 10 s is the transport's; a whole answer comes only when the model has finished, so it may take minutes. */
const DEFAULT_TIMEOUTS: UpstreamTimeouts = {
  wholeFirstByteMs: 300_000,
  streamFirstByteMs: 60_000,
  idleMs: 60_000,
  totalMs: 1_800_000,
};

export async function startApp(config: Config, options: StartOptions = {}): Promise<RunningApp> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createPinoLogger(config.logLevel);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const storage = await openStorage(config, logger);
  try {
    return await assemble({ config, options, clock, logger, storage });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

type Storage = Readonly<{
  url: string;
  database: Database;
  notices: Notices;
  close(): Promise<void>;
}>;

async function openStorage(config: Config, logger: Logger): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataDir, logger }) : null;
  const url = embedded?.url ?? config.databaseUrl ?? '';
  try {
    await migrate(url, migrationsFolder, logger);
    const database = openDatabase(url, logger);
    const notices = await openNotices(url, logger);
    return {
      url,
      database,
      notices,
      async close() {
        await notices.close();
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

type Parts = Readonly<{ config: Config; options: StartOptions; clock: Clock; logger: Logger; storage: Storage }>;

async function assemble(parts: Parts): Promise<RunningApp> {
  const { config, options, clock, logger, storage } = parts;
  const secret = config.secret ?? (await loadOrCreateSecret(config.dataDir)).value;
  const keptToken = config.adminToken === null ? await loadOrCreateAdminToken(config.dataDir) : null;
  const adminToken = config.adminToken ?? keptToken?.value ?? '';

  const lateVariables = options.variables ?? {};
  const { database, notices } = storage;
  const secretKey = deriveKey(secret, 'catalog');
  const catalog = await createCatalog({ database, notices, secretKey, clock, logger, lateVariables });
  const source = await readConfigSource(config.configFile);
  const change = await catalog.applyFile(source, { ...config.variables, ...lateVariables });

  const siteUrl = (): string => config.siteUrl ?? url;
  const isDraining = (): boolean => server.isDraining();
  const services = await createServices(parts, { catalog, secret, adminToken, siteUrl, isDraining });
  const stopPartitions = await startPartitions(services);
  const onFinished = services.metrics.requestFinished;
  const server = createHttpServer({ routes: createRoutes(services), logger, onFinished });
  const address = await server.listen(config.port, config.host);
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${address.port}`;

  const stopPaymentCompletion = startPaymentCompletion(services);

  return {
    url,
    siteUrl: siteUrl(),
    adminToken,
    newAdminToken: keptToken?.isNew ? adminToken : null,
    configDifference: change.changes,
    async close(drainDeadlineMs) {
      await server.drain(drainDeadlineMs);
      await stopPaymentCompletion();
      services.keepAlive.close();
      await services.transport.close();
      await services.ledger.close();
      await stopPartitions();
      await catalog.close();
      await storage.close();
    },
  };
}

type Given = Readonly<{
  catalog: Catalog;
  secret: string;
  adminToken: string;
  siteUrl(): string;
  isDraining(): boolean;
}>;

async function createServices(parts: Parts, given: Given): Promise<Services> {
  const { config, options, clock, logger, storage } = parts;
  const { database, notices } = storage;
  const connection = connectionConfig(storage.url);
  const pepper = deriveKey(given.secret, 'keys');
  const capsOfMember = (orgId: string, userId: string) => budgetsOfMember(database, orgId, userId);
  const identity = createIdentity({ database, notices, pepper, clock, logger, capsOfMember });
  const exposure = createExposure({ clock, notices, logger, rules: () => given.catalog.current().unpaid });
  const onAbsorbed: OnAbsorbed = ({ userId }, costNanoUsd, reason) => {
    if (reason !== 'interrupted') exposure.add(userId, costNanoUsd);
  };
  const { dataDir } = config;
  const metrics = createMetrics();
  const onCommitted = (settlements: number): void => {
    metrics.batchCommitted(settlements);
    metrics.settlement('settled', settlements);
  };
  const ledger = await createLedger({ database, notices, connection, dataDir, clock, logger, onAbsorbed, onCommitted });
  return {
    ...(await createBilling(parts, identity, ledger)),
    clock,
    logger,
    metrics,
    database,
    catalog: given.catalog,
    autoClassifier: createClassifier(readWords(), readWeights()),
    identity,
    ledger,
    brake: await openBrake({ database, notices, logger }),
    exposure,
    usage: createUsage(database),
    usageUpkeep: createUsageUpkeep(database),
    transport: createTransport(clock),
    routing: createRouting({ clock, logger, metrics, random: options.random ?? Math.random }),
    keepAlive: new KeepAlive(clock),
    timeouts: options.timeouts ?? DEFAULT_TIMEOUTS,
    reviewers: [],
    clientAddress: createClientAddress({ header: config.clientIpHeader, trustedProxies: config.trustedProxies }),
    clientIpHeader: config.clientIpHeader,
    rateLimiter: createRateLimiter({ clock, hasPenalty: true }),
    listingLimiter: createRateLimiter({ clock, hasPenalty: false }),
    requestRates: () => given.catalog.current().limits,
    sessions: { find: () => Promise.resolve(null) },
    operatorToken: given.adminToken,
    consoleFolder,
    siteUrl: given.siteUrl,
    isDraining: given.isDraining,
    isDatabaseReachable: () => database.isReachable(),
  };
}

/** Money that comes from outside, and who owes it. */
async function createBilling(
  { config, clock, logger, storage }: Parts,
  identity: Identity,
  ledger: Ledger,
): Promise<Pick<Services, 'payments' | 'organizations' | 'statements'>> {
  const { database, notices } = storage;
  const providers = await createProviders({ stripe: config.stripe }, clock);
  const accounts = createAccountTerms({ database, notices, clock });
  return {
    payments: createPayments({ database, ledger, providers, localChannels: config.topUpCurrencies, logger }),
    organizations: createOrganizations({ database, accounts, forgetCallers: identity.forgetCallers }),
    statements: createStatements({ database, ledger, clock, logger }),
  };
}
