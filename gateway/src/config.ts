// All settings of the environment, read once and checked at start: the only reader of process.env. All problems are
// reported together, each with its variable, so that an operator need not find them one start at a time.

import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseUsd } from './platform/money.ts';
import { readSecretSources, type SecretSourceSettings } from './platform/secret-sources.ts';
import {
  type ListenAddress,
  readCount,
  readListener,
  readMegabytes,
  readMilliseconds,
  type Settings,
} from './platform/setting-values.ts';
import type { MediaBucket } from './platform/storage-settings.ts';
import {
  readAuditKeepDays,
  readDatabaseUrl,
  readFurtherDatabaseUrl,
  readHoursKeepDays,
  readKeepMs,
  readRedisUrl,
} from './platform/storage-settings.ts';
import { readTracing, type TracingSettings } from './platform/tracing/tracing-settings.ts';
import { weaknessOf } from './platform/weak-secret.ts';

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Config = Readonly<{
  host: string;
  /** 0 asks the system for a free port. */
  port: number;
  /** How many processes serve on that port; several need a database that all of them reach. */
  workers: number;
  /** Null: the embedded database under the data folder. */
  databaseUrl: string | null;
  /** The address of the server itself, where DATABASE_URL leads to a pooler. */
  databaseDirectUrl: string | null;
  /** The address of a standby that answers reports. */
  databaseReadUrl: string | null;
  /** For how many days hourly sums are kept; daily sums stay. 0: forever. */
  hoursKeepDays: number;
  /** For how many days entries of organizations' logs are kept. 0: forever. */
  auditKeepDays: number;
  /** How long settlements that the database has are also kept here, so that a fail-over cannot lose them. */
  journalKeepMs: number;
  redisUrl: string | null;
  /** What the cache of answers may take of Redis. */
  answersRedisBytesMax: number;
  /** Absolute. */
  dataDir: string;
  /** Absolute; null: the built-in demo catalog. */
  configFile: string | null;
  /** Null: made and kept in the data folder at the start. */
  secret: string | null;
  /** The previous secret, while something may still be sealed with it. */
  previousSecret: string | null;
  adminToken: string | null;
  /** Without a trailing slash; null: `http://HOST:PORT`, known once the port is. */
  siteUrl: string | null;
  /** Lowercase. */
  clientIpHeader: string | null;
  /** CIDRs. */
  trustedProxies: readonly string[];
  ssrfAllow: readonly string[];
  smtpUrl: string | null;
  /** The sender of mails; null: `no-reply@` the site's host. */
  mailFrom: string | null;
  /** Other sites whose accounts people may sign in with; null: not offered. */
  oauth: Readonly<{ github: GitHubSignIn | null; google: GoogleSignIn | null; oidc: IssuerSignIn | null }>;
  /** Null: customers cannot top up by themselves. */
  stripe: Readonly<{ secretKey: string; webhookSecret: string; apiBase: string | null }> | null;
  /** Currencies for top-ups besides USD; billionths of the currency's unit for one USD. */
  topUpCurrencies: readonly Readonly<{ currency: string; rateNano: bigint }>[];
  /** Where pictures are stored: in a bucket, or in the data folder up to this many bytes. */
  media: Readonly<{ bytesMax: number; bucket: MediaBucket | null }>;
  /** Where newer prices of vendors are fetched; null: where the price book is published. */
  pricesUrl: string | null;
  /** Where the scanner whose reports of leaked keys are believed publishes its keys; null: no scanner. */
  scannerKeysUrl: string | null;
  /** Lines of batches that this process runs at once. */
  batchLinesAtOnce: number;
  /** How long rounds of the event loop may be before calls are refused; zero for no limit. */
  overloadRoundMs: number;
  /** Where metrics are served without a token; null where only the ordinary listener serves them. */
  metricsListen: ListenAddress | null;
  logLevel: LogLevel;
  /** Null: nothing is traced. */
  tracing: TracingSettings | null;
  /** What `${VAR}` in the config file refers to. */
  variables: Environment;
  /** What `${vault:…}` and similar references in the config file read. */
  secretSources: SecretSourceSettings;
}>;

type GitHubSignIn = Readonly<{
  clientId: string;
  clientSecret: string;
  baseUrl: string | null;
  apiBaseUrl: string | null;
}>;
type IssuerSignIn = Readonly<{ name: string; issuer: string; clientId: string; clientSecret: string }>;
type GoogleSignIn = Readonly<{ clientId: string; clientSecret: string; baseUrl: string | null }>;

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], what = 'The environment') {
    super(`${what} is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** From a hundredth to a million units for one USD: anything else is a typing error. */
const RATE_NANO_MIN = 10_000_000n;
const RATE_NANO_MAX = 1_000_000_000_000_000n;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Rounds of the event loop that stay longer are an overload; an ordinary call takes a three-hundredth of it. */
const OVERLOAD_ROUND_MS = 100;
/** An answer of a batch may have 16 MB, and is in memory until it is written. */
const BATCH_LINES = 32;
const HOST_NAME = /^[A-Za-z0-9._:-]+$/;

export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const reader: Settings = {
    text: (name) => {
      const value = environment[name]?.trim();
      return value === undefined || value === '' ? null : value;
    },
    problem: (name, message) => problems.push(`${name}: ${message}`),
  };
  const databaseUrl = readDatabaseUrl(reader, 'DATABASE_URL');
  const configFile = reader.text('TOLLGATE_CONFIG');
  const config: Config = {
    host: readHost(reader),
    port: readPort(reader),
    workers: readWorkers(reader),
    databaseUrl,
    databaseDirectUrl: readFurtherDatabaseUrl(reader, 'DATABASE_DIRECT_URL'),
    databaseReadUrl: readFurtherDatabaseUrl(reader, 'DATABASE_READ_URL'),
    hoursKeepDays: readHoursKeepDays(reader),
    auditKeepDays: readAuditKeepDays(reader),
    journalKeepMs: readKeepMs(reader),
    redisUrl: readRedisUrl(reader),
    answersRedisBytesMax: readMegabytes(reader, 'TOLLGATE_CACHE_MAX_MB', 512),
    dataDir: resolve(reader.text('TOLLGATE_DATA_DIR') ?? './data'),
    configFile: configFile === null ? null : resolve(configFile),
    ...readSecrets(reader),
    adminToken: readAdminToken(reader),
    siteUrl: readUrl(reader, 'TOLLGATE_SITE_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? null,
    clientIpHeader: readHeaderName(reader, 'TOLLGATE_CLIENT_IP_HEADER'),
    trustedProxies: readCidrs(reader, 'TOLLGATE_TRUSTED_PROXIES'),
    ssrfAllow: readCidrs(reader, 'TOLLGATE_SSRF_ALLOW'),
    smtpUrl: readUrl(reader, 'SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: readMailFrom(reader),
    oauth: { github: readGitHub(reader), google: readGoogle(reader), oidc: readIssuer(reader) },
    stripe: readStripe(reader),
    topUpCurrencies: readTopUpCurrencies(reader),
    media: { bytesMax: readMegabytes(reader, 'TOLLGATE_MEDIA_MAX_MB', 10_240), bucket: readBucket(reader) },
    pricesUrl: readUrl(reader, 'TOLLGATE_PRICES_URL', ['http:', 'https:']),
    scannerKeysUrl: readUrl(reader, 'TOLLGATE_SCANNER_KEYS_URL', ['http:', 'https:']),
    batchLinesAtOnce: readCount(reader, 'TOLLGATE_BATCH_LINES', BATCH_LINES),
    overloadRoundMs: readMilliseconds(reader, 'TOLLGATE_OVERLOAD_MS', OVERLOAD_ROUND_MS),
    metricsListen: readListener(reader, 'TOLLGATE_METRICS_LISTEN'),
    logLevel: readLogLevel(reader),
    tracing: readTracing(reader),
    variables: environment,
    secretSources: readSecretSources(reader),
  };
  // The demonstration may have open settings; a gateway with its own catalog or database may not.
  if (config.configFile !== null || config.databaseUrl !== null) {
    refuseWeak(reader, 'TOLLGATE_ADMIN_TOKEN');
    refuseWeak(reader, 'TOLLGATE_SECRET');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The root secret, and the previous one while it is being replaced. */
function readSecrets(reader: Settings): Pick<Config, 'secret' | 'previousSecret'> {
  const secret = reader.text('TOLLGATE_SECRET');
  if (reader.text('DATABASE_URL') !== null && secret === null) {
    reader.problem(
      'TOLLGATE_SECRET',
      'is required with DATABASE_URL: every process that shares the database needs the same one',
    );
  }
  const previousSecret = reader.text('TOLLGATE_SECRET_PREVIOUS');
  if (previousSecret !== null && (secret === null || secret === previousSecret)) {
    reader.problem('TOLLGATE_SECRET_PREVIOUS', 'needs a TOLLGATE_SECRET that is another one');
  }
  return { secret, previousSecret };
}

/** The value is not repeated, because it would be in a log. */
function refuseWeak(reader: Settings, name: string): void {
  const secret = reader.text(name);
  const weakness = secret === null ? null : weaknessOf(secret);
  if (weakness !== null) reader.problem(name, `${weakness}; make one with: openssl rand -base64 32`);
}

function readPort(reader: Settings): number {
  const text = reader.text('PORT');
  if (text === null) return 4100;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  reader.problem('PORT', `${JSON.stringify(text)} is not a port; it must be a number from 0 to 65535`);
  return 4100;
}

const WORKERS_MAX = 64;

function readWorkers(reader: Settings): number {
  const text = reader.text('TOLLGATE_WORKERS');
  if (text === null) return 1;
  const workers = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(workers >= 1 && workers <= WORKERS_MAX)) {
    reader.problem('TOLLGATE_WORKERS', `${JSON.stringify(text)} is not a number from 1 to ${WORKERS_MAX}`);
    return 1;
  }
  if (workers > 1 && reader.text('DATABASE_URL') === null) {
    reader.problem(
      'TOLLGATE_WORKERS',
      'needs DATABASE_URL when it is more than 1: the embedded database serves one process',
    );
  }
  return workers;
}

function readHost(reader: Settings): string {
  const text = reader.text('HOST') ?? '127.0.0.1';
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (!HOST_NAME.test(host)) reader.problem('HOST', `${JSON.stringify(text)} is not a host name or an IP address`);
  return host;
}

/** The value is never repeated in a message, because a URL may contain a password. */
function readUrl(reader: Settings, name: string, protocols: readonly string[]): string | null {
  const text = reader.text(name);
  if (text === null) return null;
  const isAccepted = URL.canParse(text) && protocols.includes(new URL(text).protocol);
  if (!isAccepted)
    reader.problem(name, `is not a URL that starts with ${protocols.map((it) => `${it}//`).join(' or ')}`);
  return text;
}

/** The token is sent in a header, so other characters could never be sent. */
function readAdminToken(reader: Settings): string | null {
  const token = reader.text('TOLLGATE_ADMIN_TOKEN');
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    reader.problem('TOLLGATE_ADMIN_TOKEN', 'may hold visible ASCII characters only, without spaces');
  }
  return token;
}

function readHeaderName(reader: Settings, name: string): string | null {
  const text = reader.text(name);
  if (text !== null && !HEADER_NAME.test(text)) reader.problem(name, `${JSON.stringify(text)} is not a header name`);
  return text === null ? null : text.toLowerCase();
}

function readCidrs(reader: Settings, name: string): readonly string[] {
  const entries = (reader.text(name) ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const cidr = toCidr(entry);
    if (cidr === null)
      reader.problem(name, `${JSON.stringify(entry)} is not an IP address or a CIDR such as 10.0.0.0/8`);
    return cidr ?? entry;
  });
}

function toCidr(entry: string): string | null {
  if (entry.includes('/')) {
    // The library reads `192.168/16` as 192.0.0.168/16.
    return ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry) ? entry : null;
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return `${entry}/32`;
  return ipaddr.IPv6.isValid(entry) ? `${entry}/128` : null;
}

/** An empty webhook secret would be known to everybody, so half a configuration is refused. */
function readStripe(reader: Settings): Config['stripe'] {
  const secretKey = reader.text('STRIPE_SECRET_KEY');
  const webhookSecret = reader.text('STRIPE_WEBHOOK_SECRET');
  const apiBase = readUrl(reader, 'STRIPE_API_BASE', ['https:', 'http:']);
  if (apiBase !== null && URL.canParse(apiBase) && !/^\/?$/.test(new URL(apiBase).pathname)) {
    reader.problem('STRIPE_API_BASE', 'has a path; only scheme, host and port are used');
  }
  if (secretKey !== null && webhookSecret === null) {
    reader.problem(
      'STRIPE_WEBHOOK_SECRET',
      'is required with STRIPE_SECRET_KEY: without it anybody could report a payment',
    );
  }
  if (secretKey === null && webhookSecret !== null) {
    reader.problem('STRIPE_SECRET_KEY', 'is required with STRIPE_WEBHOOK_SECRET');
  }
  return secretKey === null || webhookSecret === null ? null : { secretKey, webhookSecret, apiBase };
}

function readTopUpCurrencies(reader: Settings): Config['topUpCurrencies'] {
  const name = 'TOLLGATE_TOPUP_CURRENCIES';
  const known = new Set(Intl.supportedValuesOf('currency').map((currency) => currency.toLowerCase()));
  const rates = new Map<string, bigint>();
  for (const entry of (reader.text(name) ?? '').split(/[\s,]+/).filter((text) => text !== '')) {
    const [, currency = '', rate = ''] = /^([a-z]{3})=([\d.]+)$/.exec(entry.toLowerCase()) ?? [];
    const rateNano = parseUsd(rate) ?? 0n;
    const isUsable =
      known.has(currency) && currency !== 'usd' && rateNano >= RATE_NANO_MIN && rateNano <= RATE_NANO_MAX;
    if (isUsable && !rates.has(currency)) rates.set(currency, rateNano);
    else reader.problem(name, `${JSON.stringify(entry)} is not a currency with its rate, once, such as eur=0.92`);
  }
  return [...rates].map(([currency, rateNano]) => ({ currency, rateNano }));
}

/** `mail@example.com` or `Name <mail@example.com>`; it becomes a header, so it has no line break. */
function readMailFrom(reader: Settings): string | null {
  const text = reader.text('TOLLGATE_MAIL_FROM');
  if (text !== null && !/^(?:[^<>"@,;\p{C}]+ <[^\s<>"@,;\p{C}]+@[\w.-]+>|[^\s<>"@,;\p{C}]+@[\w.-]+)$/u.test(text)) {
    reader.problem('TOLLGATE_MAIL_FROM', 'is not an address such as Tollgate <no-reply@example.com>');
  }
  return text;
}

function readGitHub(reader: Settings): GitHubSignIn | null {
  const client = readOAuthClient(reader, 'GITHUB');
  const baseUrl = readBaseUrl(reader, 'GITHUB_OAUTH_BASE');
  const apiBaseUrl = readBaseUrl(reader, 'GITHUB_API_BASE');
  return client === null ? null : { ...client, baseUrl, apiBaseUrl };
}

function readGoogle(reader: Settings): GoogleSignIn | null {
  const client = readOAuthClient(reader, 'GOOGLE');
  const baseUrl = readBaseUrl(reader, 'GOOGLE_OAUTH_BASE');
  return client === null ? null : { ...client, baseUrl };
}

/** An OpenID Connect issuer through which everybody may sign in. */
function readIssuer(reader: Settings): IssuerSignIn | null {
  const client = readOAuthClient(reader, 'OIDC');
  const issuer = readBaseUrl(reader, 'OIDC_ISSUER');
  if (client === null) return null;
  if (issuer === null) reader.problem('OIDC_ISSUER', 'is required with OIDC_CLIENT_ID');
  return { ...client, issuer: issuer ?? '', name: reader.text('OIDC_NAME') ?? 'single sign-on' };
}

function readOAuthClient(reader: Settings, site: string): Readonly<{ clientId: string; clientSecret: string }> | null {
  const clientId = reader.text(`${site}_CLIENT_ID`);
  const clientSecret = reader.text(`${site}_CLIENT_SECRET`);
  if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
  if (clientId !== null) reader.problem(`${site}_CLIENT_SECRET`, `is required with ${site}_CLIENT_ID`);
  if (clientSecret !== null) reader.problem(`${site}_CLIENT_ID`, `is required with ${site}_CLIENT_SECRET`);
  return null;
}

const readBaseUrl = (reader: Settings, name: string): string | null =>
  readUrl(reader, name, ['https:', 'http:'])?.replace(/\/+$/, '') ?? null;

/** Half a configuration is refused. */
function readBucket(reader: Settings): MediaBucket | null {
  const bucket = reader.text('TOLLGATE_S3_BUCKET');
  const endpoint = readBaseUrl(reader, 'TOLLGATE_S3_ENDPOINT');
  const accessKeyId = reader.text('TOLLGATE_S3_ACCESS_KEY_ID');
  const secretAccessKey = reader.text('TOLLGATE_S3_SECRET_ACCESS_KEY');
  if (bucket === null) return null;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) reader.problem('TOLLGATE_S3_BUCKET', 'is not a bucket name');
  const prefix = (reader.text('TOLLGATE_S3_PREFIX') ?? '').replace(/^\/+|\/+$/g, '');
  if (!/^[\w./-]*$/.test(prefix)) {
    reader.problem('TOLLGATE_S3_PREFIX', 'may hold letters, digits, and the signs _ - . / only');
  }
  const required = { TOLLGATE_S3_ACCESS_KEY_ID: accessKeyId, TOLLGATE_S3_SECRET_ACCESS_KEY: secretAccessKey };
  for (const [name, value] of Object.entries(required)) {
    if (value === null) reader.problem(name, 'is required with TOLLGATE_S3_BUCKET');
  }
  const region = reader.text('TOLLGATE_S3_REGION') ?? 'us-east-1';
  return {
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    region,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
  };
}

function readLogLevel(reader: Settings): LogLevel {
  const text = reader.text('TOLLGATE_LOG_LEVEL');
  if (text === null) return 'info';
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level === undefined) {
    reader.problem('TOLLGATE_LOG_LEVEL', `${JSON.stringify(text)} is none of ${LOG_LEVELS.join(', ')}`);
  }
  return level ?? 'info';
}
