// The environment's settings of the database and of Redis: addresses that may name several servers, which no URL may,
// and how long things are kept.

import { AddressError, readServerList } from './db/server-list.ts';
import { isSentinelAddress, readRedisAddress } from './redis/redis-address.ts';
import type { Settings } from './setting-values.ts';

const KEEP_SECONDS = 600;
const KEEP_SECONDS_MAX = 86_400;

/** The embedded database has no standby that could take over. */
export function readKeepMs(reader: Settings): number {
  const text = reader.text('TOLLGATE_JOURNAL_KEEP_SECONDS');
  if (text === null) return reader.text('DATABASE_URL') === null ? 0 : KEEP_SECONDS * 1_000;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= KEEP_SECONDS_MAX) return seconds * 1_000;
  reader.problem('TOLLGATE_JOURNAL_KEEP_SECONDS', `is not a number of seconds from 0 to ${KEEP_SECONDS_MAX}`);
  return 0;
}

const HOURS_KEEP_DAYS = 400;
/** The current month and the one before, because caps and breakers read them. */
const HOURS_KEEP_DAYS_MIN = 62;
/** The database itself lets nobody remove what is not two months old. */
const AUDIT_KEEP_DAYS_MIN = 90;

export const readHoursKeepDays = (reader: Settings): number =>
  readKeepDays(reader, 'TOLLGATE_HOURS_KEEP_DAYS', { otherwise: HOURS_KEEP_DAYS, min: HOURS_KEEP_DAYS_MIN });

export const readAuditKeepDays = (reader: Settings): number =>
  readKeepDays(reader, 'TOLLGATE_AUDIT_KEEP_DAYS', { otherwise: 0, min: AUDIT_KEEP_DAYS_MIN });

/** 0: for ever. */
function readKeepDays(
  reader: Settings,
  name: string,
  { otherwise, min }: Readonly<{ otherwise: number; min: number }>,
): number {
  const text = reader.text(name);
  if (text === null) return otherwise;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (days === 0 || days >= min) return days;
  reader.problem(name, `is not a number of days from ${min} on, or 0 for ever`);
  return otherwise;
}

export function readRedisUrl(reader: Settings): string | null {
  const text = reader.text('REDIS_URL');
  if (text === null || !isSentinelAddress(text)) return readPlainRedisUrl(reader, text);
  if (readRedisAddress(text).sentinels === undefined)
    reader.problem('REDIS_URL', 'is not of the form redis+sentinel://host:26379,host:26379/name-of-the-primary');
  return text;
}

/** The value is never repeated in a message, because it may contain a password. */
function readPlainRedisUrl(reader: Settings, text: string | null): string | null {
  if (text !== null && !(URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol)))
    reader.problem('REDIS_URL', 'is not a URL that starts with redis:// or rediss://');
  return text;
}

/** One or several hosts, with libpq's parameters for choosing one and for TLS. */
export function readDatabaseUrl(reader: Settings, name: string): string | null {
  const text = reader.text(name);
  if (text === null) return null;
  try {
    const { sessionAttributes } = readServerList(text);
    if (name !== 'DATABASE_READ_URL' && /standby|read-only/.test(sessionAttributes))
      reader.problem(
        name,
        `has target_session_attrs=${sessionAttributes}, but only a server that takes writes will do`,
      );
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    reader.problem(name, error.message);
  }
  return text;
}

export function readFurtherDatabaseUrl(reader: Settings, name: string): string | null {
  const url = readDatabaseUrl(reader, name);
  if (url !== null && reader.text('DATABASE_URL') === null) reader.problem(name, 'needs DATABASE_URL');
  return url;
}

/** Of a service that speaks S3. The endpoint has no trailing slash. */
export type MediaBucket = Readonly<{
  endpoint: string;
  bucket: string;
  region: string;
  /** Before every name; empty, or ending in a slash. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}>;
