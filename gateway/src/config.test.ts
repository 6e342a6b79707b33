// The values that the environment may have. A wrong value must stop the start with a message that names its variable,
// and the message must not show a secret.

import { describe, expect, test } from 'vitest';
import { ConfigError, type Environment, readConfig } from './config.ts';

function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('an empty environment gives the documented defaults', () => {
  const config = readConfig({ PORT: '', TOLLGATE_SECRET: ' ' });
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 4100,
    workers: 1,
    databaseUrl: null,
    redisUrl: null,
    dataDir: `${process.cwd()}/data`,
    configFile: null,
    secret: null,
    adminToken: null,
    siteUrl: null,
    clientIpHeader: null,
    trustedProxies: [],
    ssrfAllow: [],
    smtpUrl: null,
    mailFrom: null,
    oauth: { github: null, google: null },
    media: { bytesMax: 10_737_418_240, bucket: null },
    logLevel: 'info',
  });
});

test('every variable is read', () => {
  const config = readConfig({
    HOST: '[::1]',
    PORT: '0',
    TOLLGATE_WORKERS: '4',
    DATABASE_URL: 'postgres://u:p@db/tollgate',
    REDIS_URL: 'rediss://cache',
    TOLLGATE_DATA_DIR: '/var/tollgate',
    TOLLGATE_CONFIG: '/etc/tollgate.yaml',
    TOLLGATE_SECRET: 'a-secret-of-some-length',
    TOLLGATE_ADMIN_TOKEN: 'a-token-of-some-length',
    TOLLGATE_SITE_URL: 'https://gateway.example/',
    TOLLGATE_CLIENT_IP_HEADER: 'X-Forwarded-For',
    TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.1 ::1',
    TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
    SMTP_URL: 'smtp://mail',
    TOLLGATE_MAIL_FROM: 'Gate <gate@gate.example>',
    GITHUB_CLIENT_ID: 'id',
    GITHUB_CLIENT_SECRET: 'secret',
    GITHUB_OAUTH_BASE: 'https://git.example/',
    GITHUB_API_BASE: 'https://git.example/api/v3',
    TOLLGATE_LOG_LEVEL: 'DEBUG',
    OTHER: 'kept for the config file',
  });
  expect(config).toMatchObject({
    host: '::1',
    port: 0,
    workers: 4,
    databaseUrl: 'postgres://u:p@db/tollgate',
    redisUrl: 'rediss://cache',
    dataDir: '/var/tollgate',
    configFile: '/etc/tollgate.yaml',
    secret: 'a-secret-of-some-length',
    adminToken: 'a-token-of-some-length',
    siteUrl: 'https://gateway.example',
    clientIpHeader: 'x-forwarded-for',
    trustedProxies: ['10.0.0.0/8', '192.168.1.1/32', '::1/128'],
    ssrfAllow: ['127.0.0.0/8'],
    smtpUrl: 'smtp://mail',
    mailFrom: 'Gate <gate@gate.example>',
    oauth: {
      github: {
        clientId: 'id',
        clientSecret: 'secret',
        baseUrl: 'https://git.example',
        apiBaseUrl: 'https://git.example/api/v3',
      },
      google: null,
    },
    logLevel: 'debug',
  });
  expect(config.variables.OTHER).toBe('kept for the config file');
});

describe('a wrong value is named', () => {
  test.each([
    [{ PORT: '80a' }, 'PORT: "80a" is not a port; it must be a number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT: "65536" is not a port; it must be a number from 0 to 65535'],
    [{ PORT: '-1' }, 'PORT: "-1" is not a port; it must be a number from 0 to 65535'],
    [{ HOST: 'a b' }, 'HOST: "a b" is not a host name or an IP address'],
    [
      { TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/33' },
      'TOLLGATE_TRUSTED_PROXIES: "10.0.0.0/33" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [
      { TOLLGATE_TRUSTED_PROXIES: '192.168/16' },
      'TOLLGATE_TRUSTED_PROXIES: "192.168/16" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [
      { TOLLGATE_SSRF_ALLOW: 'localhost' },
      'TOLLGATE_SSRF_ALLOW: "localhost" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [
      { TOLLGATE_SSRF_ALLOW: '127.1' },
      'TOLLGATE_SSRF_ALLOW: "127.1" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [{ TOLLGATE_SITE_URL: 'gateway.example' }, 'TOLLGATE_SITE_URL: is not a URL that starts with http:// or https://'],
    [{ REDIS_URL: 'http://cache' }, 'REDIS_URL: is not a URL that starts with redis:// or rediss://'],
    [{ GITHUB_CLIENT_ID: 'id' }, 'GITHUB_CLIENT_SECRET: is required with GITHUB_CLIENT_ID'],
    [{ GOOGLE_CLIENT_SECRET: 'secret' }, 'GOOGLE_CLIENT_ID: is required with GOOGLE_CLIENT_SECRET'],
    [
      { TOLLGATE_MAIL_FROM: 'a@b.example, c@d.example' },
      'TOLLGATE_MAIL_FROM: is not an address such as Tollgate <no-reply@example.com>',
    ],
    [{ TOLLGATE_CLIENT_IP_HEADER: 'x:y' }, 'TOLLGATE_CLIENT_IP_HEADER: "x:y" is not a header name'],
    [{ TOLLGATE_ADMIN_TOKEN: 'a b' }, 'TOLLGATE_ADMIN_TOKEN: may hold visible ASCII characters only, without spaces'],
    [
      { TOLLGATE_LOG_LEVEL: 'loud' },
      'TOLLGATE_LOG_LEVEL: "loud" is none of fatal, error, warn, info, debug, trace, silent',
    ],
  ])('%o', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([problem]);
  });

  test('several workers need a database that all of them reach', () => {
    expect(problemsOf({ TOLLGATE_WORKERS: '2' })).toEqual([
      expect.stringContaining('TOLLGATE_WORKERS: needs DATABASE_URL'),
    ]);
    expect(problemsOf({ TOLLGATE_WORKERS: '1' })).toEqual([]);
    for (const text of ['0', '65', 'two', '-1']) {
      expect(
        problemsOf({
          TOLLGATE_WORKERS: text,
          DATABASE_URL: 'postgres://db/x',
          TOLLGATE_SECRET: 'a-secret-of-some-length',
        }),
      ).toEqual([expect.stringContaining('TOLLGATE_WORKERS')]);
    }
  });

  test.each([
    [{ DATABASE_DIRECT_URL: 'postgres://db/x' }, 'DATABASE_DIRECT_URL: needs DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://a:1,b:x/x', TOLLGATE_SECRET: 'a-secret-of-some-length' }, 'DATABASE_URL: has a'],
    [
      { DATABASE_URL: 'postgres://a/x?target_session_attrs=standby', TOLLGATE_SECRET: 'a-secret-of-some-length' },
      'DATABASE_URL: has target_session_attrs=standby',
    ],
    [{ REDIS_URL: 'redis+sentinel://host' }, 'REDIS_URL: is not of the form'],
    [{ TOLLGATE_JOURNAL_KEEP_SECONDS: '-1' }, 'TOLLGATE_JOURNAL_KEEP_SECONDS: is not'],
    [{ TOLLGATE_HOURS_KEEP_DAYS: '7' }, 'TOLLGATE_HOURS_KEEP_DAYS: is not'],
  ])('%j is told', (environment, words) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(words)]);
  });

  test('storage may have several servers', () => {
    const environment = {
      DATABASE_URL: 'postgres://u:p@a:1,b:2/x?target_session_attrs=read-write',
      DATABASE_DIRECT_URL: 'postgres://u:p@a,b/x',
      DATABASE_READ_URL: 'postgres://u:p@b/x?target_session_attrs=prefer-standby',
      REDIS_URL: 'redis+sentinel://u:p@a:26379,b/main/1',
      TOLLGATE_SECRET: 'a-secret-of-some-length',
      TOLLGATE_HOURS_KEEP_DAYS: '0',
    };
    const { databaseUrl, redisUrl, hoursKeepDays, journalKeepMs } = readConfig(environment);
    expect({ databaseUrl, redisUrl }).toEqual({
      databaseUrl: environment.DATABASE_URL,
      redisUrl: environment.REDIS_URL,
    });
    expect({ hoursKeepDays, journalKeepMs }).toEqual({ hoursKeepDays: 0, journalKeepMs: 600_000 });
  });

  test('DATABASE_URL needs TOLLGATE_SECRET', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x' })).toEqual([
      'TOLLGATE_SECRET: is required with DATABASE_URL: every process that shares the database needs the same one',
    ]);
  });

  test('a password in a URL is not repeated, and all problems come together', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://u:hunter2@db/x',
      TOLLGATE_SECRET: 'a-secret-of-some-length',
      PORT: 'x',
    });
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('where pictures are kept', () => {
  const whole = {
    TOLLGATE_S3_BUCKET: 'pictures',
    TOLLGATE_S3_ACCESS_KEY_ID: 'id',
    TOLLGATE_S3_SECRET_ACCESS_KEY: 'secret',
  };

  test('a bucket needs its key, and has the defaults of the largest service', () => {
    expect(readConfig(whole).media.bucket).toEqual({
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      bucket: 'pictures',
      region: 'us-east-1',
      prefix: '',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    });
    const other = { TOLLGATE_S3_ENDPOINT: 'http://minio:9000/', TOLLGATE_S3_REGION: 'x', TOLLGATE_S3_PREFIX: '/a/b/' };
    expect(readConfig({ ...whole, ...other }).media.bucket).toMatchObject({
      endpoint: 'http://minio:9000',
      region: 'x',
      prefix: 'a/b/',
    });
    const problems = problemsOf({ TOLLGATE_S3_BUCKET: 'pictures' });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'TOLLGATE_S3_ACCESS_KEY_ID',
      'TOLLGATE_S3_SECRET_ACCESS_KEY',
    ]);
  });

  test.each([
    ['TOLLGATE_S3_BUCKET', { ...whole, TOLLGATE_S3_BUCKET: 'a b' }],
    ['TOLLGATE_S3_PREFIX', { ...whole, TOLLGATE_S3_PREFIX: 'a?b' }],
    ['TOLLGATE_S3_ENDPOINT', { ...whole, TOLLGATE_S3_ENDPOINT: 'minio' }],
    ['TOLLGATE_MEDIA_MAX_MB', { TOLLGATE_MEDIA_MAX_MB: '0' }],
    ['TOLLGATE_MEDIA_MAX_MB', { TOLLGATE_MEDIA_MAX_MB: 'much' }],
    ['TOLLGATE_CACHE_MAX_MB', { TOLLGATE_CACHE_MAX_MB: '-1' }],
  ])('%s is checked', (name, environment) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(name)]);
  });

  test('how much the folder may hold', () => {
    expect(readConfig({ TOLLGATE_MEDIA_MAX_MB: '5' }).media.bytesMax).toBe(5 * 1024 * 1024);
  });
});

test('a weak token or secret refuses to start, outside the demonstration', () => {
  const weak = { TOLLGATE_ADMIN_TOKEN: 'changeme', TOLLGATE_SECRET: 'aaaaaaaaaaaaaaaaaaaa' };
  expect(() => readConfig({ ...weak, TOLLGATE_CONFIG: './tollgate.yaml' })).toThrow(
    /TOLLGATE_ADMIN_TOKEN: .*\n.*TOLLGATE_SECRET: /,
  );
  expect(() => readConfig({ ...weak, DATABASE_URL: 'postgres://localhost/tollgate' })).toThrow('TOLLGATE_ADMIN_TOKEN');
  expect(() => readConfig({ ...weak, TOLLGATE_CONFIG: './tollgate.yaml' })).not.toThrow('changeme');
  expect(readConfig(weak).adminToken).toBe('changeme');
  const fine = { TOLLGATE_ADMIN_TOKEN: '0d3f9a1b5c7e2f48', TOLLGATE_SECRET: 'test-secret-test-secret' };
  expect(readConfig({ ...fine, TOLLGATE_CONFIG: './tollgate.yaml' }).adminToken).toBe('0d3f9a1b5c7e2f48');
});
