// The composition root: the only place where the parts are made and joined. Order matters twice: what is started first
// is stopped last, so that a call that is still running finds everything it needs.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { createRoutes } from './endpoints/routes.ts';
import type { Services } from './endpoints/services.ts';
import { createHttpServer } from './http/server.ts';
import { type Catalog, createCatalog } from './modules/catalog/catalog.ts';
import { readConfigSource } from './modules/catalog/config-source.ts';
import { createClientAddress } from './modules/identity/client-address.ts';
import { createIdentity } from './modules/identity/identity.ts';
import { createLedger } from './modules/ledger/create-ledger.ts';
import { createRateLimiter } from './modules/limits/rate-limit.ts';
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
  const logger = createPinoLogger(config.logLevel);
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

  const services = await createServices(parts, { catalog, secret, adminToken, isDraining: () => server.isDraining() });
  const onFinished = services.metrics.requestFinished;
  const server = createHttpServer({ routes: createRoutes(services), logger, onFinished });
  const address = await server.listen(config.port, config.host);
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${address.port}`;

  return {
    url,
    siteUrl: config.siteUrl ?? url,
    adminToken,
    newAdminToken: keptToken?.isNew ? adminToken : null,
    configDifference: change.changes,
    async close(drainDeadlineMs) {
      await server.drain(drainDeadlineMs);
      services.keepAlive.close();
      await services.transport.close();
      await services.ledger.close();
      await catalog.close();
      await storage.close();
    },
  };
}

type Given = Readonly<{ catalog: Catalog; secret: string; adminToken: string; isDraining(): boolean }>;

async function createServices(parts: Parts, given: Given): Promise<Services> {
  const { config, options, clock, logger, storage } = parts;
  const { database, notices } = storage;
  const connection = connectionConfig(storage.url);
  return {
    clock,
    logger,
    metrics: createMetrics(),
    database,
    catalog: given.catalog,
    identity: createIdentity({ database, notices, pepper: deriveKey(given.secret, 'keys'), clock, logger }),
    ledger: await createLedger({ database, notices, connection, dataDir: config.dataDir, clock, logger }),
    usage: createUsage(database),
    transport: createTransport(clock),
    keepAlive: new KeepAlive(clock),
    timeouts: options.timeouts ?? DEFAULT_TIMEOUTS,
    reviewers: [],
    clientAddress: createClientAddress({ header: config.clientIpHeader, trustedProxies: config.trustedProxies }),
    clientIpHeader: config.clientIpHeader,
    rateLimiter: createRateLimiter({ clock, hasPenalty: true }),
    listingLimiter: createRateLimiter({ clock, hasPenalty: false }),
    requestRates: () => given.catalog.current().limits,
    operatorToken: given.adminToken,
    consoleFolder,
    isDraining: given.isDraining,
    isDatabaseReachable: () => database.isReachable(),
  };
}
