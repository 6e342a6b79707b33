// Reads a URL that a stranger gave us and checks its text: the scheme, the port, and names that are local by
// definition. A harmless text proves nothing; where its name leads is checked when it is resolved and connected to.

import { isIP } from 'node:net';
import { ForbiddenUrlError, forbiddenAddress } from './outbound-error.ts';

export type UrlRules = Readonly<{
  /** Otherwise https alone. */
  allowHttp: boolean;
  /** Ports from 1024 up besides the schemes' own. */
  allowHighPorts: boolean;
  /** The operator allows private ranges, so a local name may mean one of them. */
  allowLocalNames: boolean;
}>;

const LENGTH_MAX = 2_048;
const HIGH_PORT_MIN = 1_024;
/** What a URL parser would silently drop or turn into something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are among the characters that are refused.
const FOLDED = /[\u0000-\u0020\u007f\\]/;
const LOCAL_SUFFIXES = ['local', 'internal', 'localdomain', 'lan', 'home', 'home.arpa', 'intranet', 'corp', 'private'];

/** Throws `ForbiddenUrlError`. */
export function parseUrl(text: string, rules: UrlRules): URL {
  if (text.length > LENGTH_MAX) throw new ForbiddenUrlError(`must not be longer than ${LENGTH_MAX} characters`);
  const url = FOLDED.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null) throw new ForbiddenUrlError('must be a valid URL');
  const isHttp = url.protocol === 'http:' && rules.allowHttp;
  if (url.protocol !== 'https:' && !isHttp) {
    throw new ForbiddenUrlError(`must begin with ${rules.allowHttp ? 'http:// or https://' : 'https://'}`);
  }
  if (url.username !== '' || url.password !== '') throw new ForbiddenUrlError('must not contain credentials');
  if (text.includes('#')) throw new ForbiddenUrlError('must not have a fragment');
  checkPort(url, rules);
  checkName(url, rules);
  return url;
}

/** The host as it is dialled: without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The parser leaves out the scheme's default port. */
function checkPort({ port, protocol }: URL, { allowHighPorts }: UrlRules): void {
  if (port === '') return;
  if (allowHighPorts && (port === '80' || port === '443' || Number(port) >= HIGH_PORT_MIN)) return;
  const own = protocol === 'https:' ? 443 : 80;
  throw new ForbiddenUrlError(`must use port ${own}${allowHighPorts ? ` or one from ${HIGH_PORT_MIN} up` : ''}`);
}

function checkName(url: URL, { allowLocalNames }: UrlRules): void {
  const host = hostOf(url);
  if (isIP(host) !== 0) return;
  const name = host.replace(/\.+$/, '').toLowerCase();
  if (name === '') throw new ForbiddenUrlError('must name a host');
  // A trailing dot would have to be ignored by everything that compares names, certificates included.
  if (name !== host) url.hostname = name;
  if (name === 'localhost' || name.endsWith('.localhost')) throw forbiddenAddress();
  if (allowLocalNames) return;
  const isLocal = !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
  if (isLocal) throw forbiddenAddress();
}
