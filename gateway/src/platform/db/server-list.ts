// What a `postgres://` URL says, as libpq reads it: one or several hosts, and how the connection is protected. The
// driver reads one host and understands `sslmode` differently, so both are taken out of the URL that it gets.

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** One host, as the driver reads it: its protections are tried in this order; `false` is without TLS. */
export type Server = Readonly<{ name: string; url: string; protections: readonly (false | ConnectionOptions)[] }>;

export type ServerList = Readonly<{ servers: readonly Server[]; sessionAttributes: SessionAttributes }>;

const SESSION_ATTRIBUTES = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_PORT = '5432';
const URL_PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'host',
  'port',
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'sslnegotiation',
  'target_session_attrs',
  'uselibpqcompat',
]);

/** The address is never repeated in a message, because it may contain a password. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

export function readServerList(address: string): ServerList {
  const [, scheme = '', authority = '', path = '', query = ''] = URL_PARTS.exec(address) ?? [];
  if (scheme === '') throw new AddressError('is not a URL that starts with postgres:// or postgresql://');
  const given = query === '' ? [] : query.split('&');
  const parameters = new Map(given.map((pair) => splitPair(pair)));
  const userEnd = authority.lastIndexOf('@') + 1;
  const user = authority.slice(0, userEnd);
  const rest = given.filter((pair) => !OWN_PARAMETERS.has(splitPair(pair)[0]));
  const mode = readMode(parameters);
  const servers = readHosts(authority.slice(userEnd), parameters).map(({ host, port }) => {
    const isSocket = host === '' || host.startsWith('/');
    const hostParameters = host === '' ? [] : [`host=${encodeURIComponent(host)}`];
    const url = isSocket
      ? `${scheme}${user}${path || '/'}?${[...rest, ...hostParameters, `port=${port}`].join('&')}`
      : `${scheme}${user}${host.includes(':') ? `[${host}]` : host}:${port}${path}${rest.length > 0 ? '?' : ''}${rest.join('&')}`;
    if (!URL.canParse(url.replace('@/', '@host/').replace(':///', '://host/'))) {
      throw new AddressError('is not a URL; a special character in the user or the password is written as %XX');
    }
    const name = isSocket ? host || 'the local socket' : `${host}:${port}`;
    return { name, url, protections: isSocket ? [false] : protectionsOf(mode, parameters) } satisfies Server;
  });
  return { servers, sessionAttributes: readSessionAttributes(parameters) };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)];
  } catch {
    throw new AddressError('has a % that is not followed by two hexadecimal digits');
  }
}

function readHosts(authority: string, parameters: ReadonlyMap<string, string>): { host: string; port: string }[] {
  const named = parameters.get('host');
  const hosts = (named ?? authority).split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  return hosts.map((text, index) => {
    // The port of a host that is given as a parameter is a parameter too.
    const [, bracketed, plain = '', own] =
      named === undefined ? (/^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? []) : ['', undefined, text];
    const port = own || ports[index] || (ports.length === 1 ? ports[0] : '') || DEFAULT_PORT;
    if (bracketed === undefined && plain === '' && text !== '') throw new AddressError('has a host that is no host');
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new AddressError('has a port that is no port');
    return { host: bracketed ?? decodeURIComponent(plain), port };
  });
}

function readMode(parameters: ReadonlyMap<string, string>): SslMode {
  const otherwise = parameters.get('ssl') === 'true' ? 'require' : 'prefer';
  const text = parameters.get('sslrootcert') === 'system' ? 'verify-full' : (parameters.get('sslmode') ?? otherwise);
  const mode = SSL_MODES.find((known) => known === text);
  if (mode === undefined) throw new AddressError(`has an sslmode that is none of ${SSL_MODES.slice(0, -1).join(', ')}`);
  return mode;
}

function readSessionAttributes(parameters: ReadonlyMap<string, string>): SessionAttributes {
  const text = parameters.get('target_session_attrs') ?? 'any';
  const attributes = SESSION_ATTRIBUTES.find((known) => known === text);
  if (attributes === undefined)
    throw new AddressError(`has a target_session_attrs that is none of ${SESSION_ATTRIBUTES.join(', ')}`);
  return attributes;
}

function protectionsOf(mode: SslMode, parameters: ReadonlyMap<string, string>): Server['protections'] {
  if (mode === 'disable') return [false];
  const rootFile = parameters.get('sslrootcert');
  const ca = rootFile === undefined || rootFile === 'system' ? undefined : readCertificate('sslrootcert', rootFile);
  if (mode === 'verify-ca' && ca === undefined)
    throw new AddressError('has sslmode=verify-ca without sslrootcert: name the file of the authority, or verify-full');
  // As in libpq: naming a certificate authority means that it is checked. Only verify-full checks the host's name.
  const isChecked = mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && ca !== undefined);
  const protection: ConnectionOptions = {
    rejectUnauthorized: isChecked,
    ...(ca === undefined ? {} : { ca }),
    ...(isChecked && mode !== 'verify-full' ? { checkServerIdentity: () => undefined } : {}),
    ...ownCertificate(parameters),
  };
  if (mode === 'prefer') return [protection, false];
  return mode === 'allow' ? [false, protection] : [protection];
}

function ownCertificate(parameters: ReadonlyMap<string, string>): ConnectionOptions {
  const [cert, key, passphrase] = ['sslcert', 'sslkey', 'sslpassword'].map((name) => parameters.get(name));
  return {
    ...(cert === undefined ? {} : { cert: readCertificate('sslcert', cert) }),
    ...(key === undefined ? {} : { key: readCertificate('sslkey', key) }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

function readCertificate(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AddressError(`has an ${name} that cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}
