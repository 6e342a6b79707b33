// What the environment may say. A wrong value must stop the start with a message that names its variable, and must not
// show a secret while doing so.

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
    logLevel: 'info',
  });
});

test('every variable is read', () => {
  const config = readConfig({
    HOST: '[::1]',
    PORT: '0',
    DATABASE_URL: 'postgres://u:p@db/tollgate',
    REDIS_URL: 'rediss://cache',
    TOLLGATE_DATA_DIR: '/var/tollgate',
    TOLLGATE_CONFIG: '/etc/tollgate.yaml',
    TOLLGATE_SECRET: 's',
    TOLLGATE_ADMIN_TOKEN: 'token',
    TOLLGATE_SITE_URL: 'https://gateway.example/',
    TOLLGATE_CLIENT_IP_HEADER: 'X-Forwarded-For',
    TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.1 ::1',
    TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
    SMTP_URL: 'smtp://mail',
    TOLLGATE_LOG_LEVEL: 'DEBUG',
    OTHER: 'kept for the config file',
  });
  expect(config).toMatchObject({
    host: '::1',
    port: 0,
    databaseUrl: 'postgres://u:p@db/tollgate',
    redisUrl: 'rediss://cache',
    dataDir: '/var/tollgate',
    configFile: '/etc/tollgate.yaml',
    secret: 's',
    adminToken: 'token',
    siteUrl: 'https://gateway.example',
    clientIpHeader: 'x-forwarded-for',
    trustedProxies: ['10.0.0.0/8', '192.168.1.1/32', '::1/128'],
    ssrfAllow: ['127.0.0.0/8'],
    smtpUrl: 'smtp://mail',
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
      { TOLLGATE_SSRF_ALLOW: 'localhost' },
      'TOLLGATE_SSRF_ALLOW: "localhost" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [
      { TOLLGATE_SSRF_ALLOW: '127.1' },
      'TOLLGATE_SSRF_ALLOW: "127.1" is not an IP address or a CIDR such as 10.0.0.0/8',
    ],
    [{ TOLLGATE_SITE_URL: 'gateway.example' }, 'TOLLGATE_SITE_URL: is not a URL that starts with http:// or https://'],
    [{ REDIS_URL: 'http://cache' }, 'REDIS_URL: is not a URL that starts with redis:// or rediss://'],
    [{ TOLLGATE_CLIENT_IP_HEADER: 'x:y' }, 'TOLLGATE_CLIENT_IP_HEADER: "x:y" is not a header name'],
    [{ TOLLGATE_ADMIN_TOKEN: 'a b' }, 'TOLLGATE_ADMIN_TOKEN: may hold visible ASCII characters only, without spaces'],
    [
      { TOLLGATE_LOG_LEVEL: 'loud' },
      'TOLLGATE_LOG_LEVEL: "loud" is none of fatal, error, warn, info, debug, trace, silent',
    ],
  ])('%o', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([problem]);
  });

  test('DATABASE_URL needs TOLLGATE_SECRET', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x' })).toEqual([
      'TOLLGATE_SECRET: is required with DATABASE_URL: every process that shares the database needs the same one',
    ]);
  });

  test('a password in a URL is not repeated, and all problems come together', () => {
    const problems = problemsOf({ DATABASE_URL: 'mysql://u:hunter2@db/x', TOLLGATE_SECRET: 's', PORT: 'x' });
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
  });
});
