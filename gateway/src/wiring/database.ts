// The configured database: directly, or behind a pooler with a second address for code that needs a session of its own,
// and perhaps a standby for reports. It is migrated before anything reads it.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db/database.ts';
import { migrate, migrationsFolder } from '../platform/db/migrate.ts';
import { type DatabaseNotices, openNotices } from '../platform/db/notices.ts';
import { openDatabase } from '../platform/db/postgres.ts';
import { openReader, type ReportReader } from '../platform/db/reader.ts';
import { recognisePooler } from '../platform/db/recognise-pooler.ts';
import { Servers, sessionsOf } from '../platform/db/servers.ts';
import { type Timeline, Timelines } from '../platform/db/timelines.ts';
import { asError, type Logger } from '../platform/logger.ts';
import type { Storage } from './parts.ts';

export type DatabaseParts = Omit<Storage, 'notices' | 'redis'> & Readonly<{ notices: DatabaseNotices }>;

type Input = Readonly<{ embeddedUrl: string | null; config: Config; clock: Clock; logger: Logger }>;

/** Both addresses lead to one database, so what is seen through one counts for the other. */
async function findServers({ embeddedUrl, config, logger }: Input): Promise<{ pooled: Servers; direct: Servers }> {
  const timelines = embeddedUrl === null ? await recallTimelines(config.dataDir, logger) : new Timelines();
  const pooled = new Servers(embeddedUrl ?? config.databaseUrl ?? '', { timelines });
  if (embeddedUrl !== null) return { pooled, direct: pooled };
  pooled.pooling = await recognisePooler(pooled);
  const { databaseDirectUrl } = config;
  const { newest } = timelines;
  if (newest !== null) await rememberTimeline(join(config.dataDir, TIMELINE_FILE), newest);
  if (databaseDirectUrl === null) {
    if (pooled.pooling.isShared) throw new ConfigError([needsDirect(pooled.variable)]);
    return { pooled, direct: pooled };
  }
  const direct = new Servers(databaseDirectUrl, { variable: 'DATABASE_DIRECT_URL', timelines });
  if ((await recognisePooler(direct)).isShared) throw new ConfigError([needsDirect(direct.variable)]);
  if (pooled.pooling.isShared) {
    const { keepsStatements } = pooled.pooling;
    logger.info({ keepsStatements }, 'the database is behind a pooler that shares its sessions');
    if (!keepsStatements)
      logger.warn({}, 'the pooler keeps no prepared statements: PgBouncer 1.21 does with max_prepared_statements');
  }
  return { pooled, direct };
}

const TIMELINE_FILE = 'database-timeline.json';

/**
 * The timelines that this data folder has seen: a gateway that starts while two servers are primary must know which one
 * is behind.
 */
async function recallTimelines(dataDir: string, logger: Logger): Promise<Timelines> {
  const file = join(dataDir, TIMELINE_FILE);
  const timelines = new Timelines(await readFile(file, 'utf8').then(parseTimeline, () => null));
  timelines.onAdvance((timeline) => {
    rememberTimeline(file, timeline).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'the timeline could not be remembered');
    });
  });
  return timelines;
}

function parseTimeline(text: string): Timeline | null {
  try {
    const { systemId, number } = JSON.parse(text) as Partial<Timeline>;
    return typeof systemId === 'string' && Number.isSafeInteger(number) ? { systemId, number: number as number } : null;
  } catch {
    return null;
  }
}

async function rememberTimeline(file: string, timeline: Timeline): Promise<void> {
  const written = `${file}.${process.pid}`;
  await writeFile(written, JSON.stringify(timeline), { mode: 0o600 });
  await rename(written, file);
}

const needsDirect = (variable: string): string =>
  `${variable}: leads to a pooler that shares sessions between connections (transaction pooling). Notices, the locks of ` +
  'processes and migrations need a session of their own: set DATABASE_DIRECT_URL to the address of the server itself' +
  (variable === 'DATABASE_URL' ? '; calls go on through the pooler' : '');

export async function openDatabaseParts(input: Input): Promise<DatabaseParts> {
  const { config, clock, logger } = input;
  const { pooled, direct } = await findServers(input);
  await migrate(direct, migrationsFolder, logger);
  let statements = 0;
  const database = openDatabase(pooled, logger, () => {
    statements += 1;
  });
  const notices = await openNotices(direct, logger);
  database.onAway(() => notices.doubt());
  const reader = openReports(config.databaseReadUrl, { database, clock, logger });
  return {
    database,
    connectSession: sessionsOf(direct),
    onDatabaseAway: database.onAway,
    timelines: direct.timelines,
    reader,
    notices,
    statementCount: () => statements,
    async close() {
      await reader.close();
      await database.close();
    },
  };
}

function openReports(
  url: string | null,
  input: Readonly<{ database: Queryable; clock: Clock; logger: Logger }>,
): ReportReader {
  const { database } = input;
  if (url === null) return { queryable: database, lagMs: () => null, close: async () => {} };
  const servers = new Servers(url, { variable: 'DATABASE_READ_URL', isReadingEnough: true });
  return openReader({ ...input, standby: openDatabase(servers, input.logger) });
}
