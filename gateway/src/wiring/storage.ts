// The database, embedded or configured, the secret that seals its data, and Redis where it is configured.

import type { Config } from '../config.ts';
import { sealedColumns as files } from '../modules/batches/files.ts';
import { sealedColumns as lines } from '../modules/batches/sealing.ts';
import { sealedColumns as ownUpstreams } from '../modules/byok/sealed-key.ts';
import { sealedColumns as configSecrets } from '../modules/catalog/document-secrets.ts';
import { sealedColumns as feeds } from '../modules/feeds/feeds.ts';
import { sealedColumns as guards } from '../modules/guardrails/guards/guards.ts';
import { sealedColumns as evidence } from '../modules/guardrails/moderation/evidence.ts';
import { sealedColumns as mails } from '../modules/mail/mail-queue.ts';
import { sealedColumns as noticeAddresses } from '../modules/notices/addresses.ts';
import { sealedColumns as repeats } from '../modules/repeats/repeats.ts';
import { openRootSecrets, type RootSecrets } from '../modules/root-secret/root-secrets.ts';
import { sealedColumns as secondFactors } from '../modules/signin/factors/second-factors.ts';
import { sealedColumns as signOn } from '../modules/signin/sign-on/sign-on.ts';
import { sealedColumns as transcripts } from '../modules/transcripts/transcripts.ts';
import type { Clock } from '../platform/clock.ts';
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedisNotices, standBesideRedis } from '../platform/redis/redis-notices.ts';
import type { SealedColumn } from '../platform/sealed-column.ts';
import { type DatabaseParts, openDatabaseParts } from './database.ts';
import type { Storage } from './parts.ts';
import { openRedisParts } from './redis.ts';

type StorageInput = Readonly<{ config: Config; secret: string; clock: Clock; logger: Logger }>;

type OpenedStorage = Storage & Readonly<{ rootSecrets: RootSecrets }>;

export async function openStorage(input: StorageInput): Promise<OpenedStorage> {
  const { config, logger } = input;
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataDir, logger }) : null;
  try {
    const parts = await openDatabaseParts({ ...input, embeddedUrl: embedded?.url ?? null });
    try {
      const storage = await openBeside(parts, embedded?.url ?? config.databaseUrl ?? '', input);
      return {
        ...storage,
        async close() {
          await storage.close();
          await embedded?.stop();
        },
      };
    } catch (error) {
      await parts.notices.close();
      await parts.close();
      throw error;
    }
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Opens what needs only the database. */
async function openBeside(
  parts: DatabaseParts,
  databaseUrl: string,
  { config, secret, clock, logger }: StorageInput,
): Promise<OpenedStorage> {
  const { redisUrl, previousSecret: previous } = config;
  const { database } = parts;
  const rootSecrets = await openRootSecrets({ database, secret, previous, columns: sealedColumns, logger });
  const { hashing } = rootSecrets.secret;
  const redis =
    redisUrl === null ? null : await openRedisParts({ url: redisUrl, databaseUrl, secret: hashing, clock, logger });
  const notices = redis === null ? parts.notices : await openRedisNotices(redis.bus, parts.notices, clock, logger);
  if (redis === null) await standBesideRedis(parts.notices, logger);
  return {
    ...parts,
    rootSecrets,
    notices,
    redis,
    async close() {
      await notices.close();
      await redis?.close();
      await parts.close();
    },
  };
}

// Everything in the database that is sealed with a key of the root secret.

export const sealedColumns: readonly SealedColumn[] = [
  ...configSecrets,
  ...ownUpstreams,
  ...secondFactors,
  ...signOn,
  ...noticeAddresses,
  ...guards,
  ...feeds,
  ...mails,
  ...evidence,
  ...repeats,
  ...files,
  ...lines,
  ...transcripts,
];
