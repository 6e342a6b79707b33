// Redis behind Sentinel: `redis+sentinel://[user:password@]host[:port],host[:port]/name[/database]` names the sentinels
// and what they call the primary, which they are asked for at every connection. User and password are Redis' own; those
// of the sentinels, where they have any, are the parameters `sentinel_username` and `sentinel_password`.

import type { RedisOptions } from 'ioredis';

type RedisAddress = Pick<
  RedisOptions,
  | 'sentinels'
  | 'name'
  | 'db'
  | 'username'
  | 'password'
  | 'sentinelUsername'
  | 'sentinelPassword'
  | 'tls'
  | 'enableTLSForSentinelMode'
>;

const SENTINEL_PORT = 26_379;
const PARTS = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^/@?]+)\/([^/?]+)(?:\/(\d{1,3}))?(?:\?(.*))?$/;
const HOST = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/;

export const isSentinelAddress = (url: string): boolean => /^rediss?\+sentinel:/.test(url);

/** Without sentinels: the address has another form, which the client reads itself. */
export function readRedisAddress(url: string): RedisAddress {
  const [, scheme, login = '', hosts = '', name = '', database, query = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return {};
  const sentinels = hosts.split(',').map((text) => {
    const [, bracketed, plain, port] = HOST.exec(text) ?? [];
    return { host: bracketed ?? plain ?? '', port: port === undefined ? SENTINEL_PORT : Number(port) };
  });
  if (sentinels.some(({ host, port }) => host === '' || port > 65_535)) return {};
  const [username = '', password = ''] = login.split(':').map(decodeURIComponent);
  const parameters = new URLSearchParams(query);
  const sentinelUsername = parameters.get('sentinel_username');
  const sentinelPassword = parameters.get('sentinel_password');
  return {
    sentinels,
    name: decodeURIComponent(name),
    db: Number(database ?? 0),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(scheme === 'rediss' ? { tls: {}, enableTLSForSentinelMode: true } : {}),
  };
}
