// The one client for addresses that strangers gave us. It checks where each connection goes at the moment it is opened,
// follows no redirect unless told to, and bounds time and size. It sends nothing but what the caller asks for.

import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { buildConnector, Client } from 'undici';
import { assert } from '../assert.ts';
import { createDecompressor } from './decompress.ts';
import { ForbiddenUrlError, forbiddenAddress, OutboundError } from './outbound-error.ts';
import { hostOf, parseUrl, type UrlRules } from './parse-url.ts';
import { createDnsLookup, createHostResolver, type Lookup, type ResolveHost } from './resolve-host.ts';
import { createAddressRule, type IsAllowedAddress } from './special-addresses.ts';

/** What the purpose of an address allows; the strictest is https on its own port. */
export type AddressPurpose = Readonly<{
  allowHttp?: boolean;
  allowHighPorts?: boolean;
  /** Refuses a name that certainly does not exist; other failures show only when the address is called. */
  mustResolve?: boolean;
}>;

export type OutboundRequest = Readonly<{
  url: string;
  purpose?: AddressPurpose;
  method?: 'GET' | 'POST' | 'PUT';
  /** Names and values in turn. They go to the first address only: redirects are followed without them. */
  headers?: readonly string[];
  body?: string | Buffer;
  /** The wanted part, such as `bytes=0-1023`. It reveals nothing, so redirects get it too. */
  range?: string;
  /** For everything, redirects included. */
  timeoutMs: number;
  /** Ends it earlier; it then counts as timed out. */
  signal?: AbortSignal;
  /** Of the body after decoding. */
  responseBytesMax: number;
  /** None by default; a redirect is then an answer like any other. */
  redirectsMax?: number;
}>;

export type OutboundAnswer = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The address that answered in the end. */
  url: URL;
}>;

/** Where a connection may lead. Whoever opens one asks for both, because only names are looked up. */
export type ConnectionGuard = Readonly<{
  /** Finds the addresses of a name, and fails where one of them is not allowed. */
  lookup: LookupFunction;
  /** Why a host that is an address itself must not be connected to; null where it may. */
  refusalOf(address: string): Error | null;
}>;

export type Outbound = Readonly<{
  /**
   * Checks a URL when it is given. A name that cannot be resolved at the moment passes: what counts is where it leads
   * when it is called. Throws `ForbiddenUrlError`, whose message completes "<field> ...".
   */
  checkUrl(text: string, purpose?: AddressPurpose): Promise<URL>;
  /** For pools that other clients keep: they ask it for every connection as they open it. */
  guard: ConnectionGuard;
  /** Throws `ForbiddenUrlError` or `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
}>;

type OutboundOptions = Readonly<{
  /** Ranges that are allowed although they are not public. */
  allowCidrs: readonly string[];
  lookup?: Lookup;
}>;

const HEADER_BYTES_MAX = 16_384;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const OWN_HEADERS = ['user-agent', 'Tollgate', 'accept-encoding', 'identity'];

type Context = Readonly<{ connect: Connector; resolveHost: ResolveHost; allowLocalNames: boolean }>;

export function createOutbound({ allowCidrs, lookup = createDnsLookup() }: OutboundOptions): Outbound {
  const isAllowed = createAddressRule(allowCidrs);
  const resolveHost = createHostResolver(lookup, isAllowed);
  const guard = createGuard(resolveHost, isAllowed);
  const connect = createConnector(guard);
  const context: Context = { connect, resolveHost, allowLocalNames: allowCidrs.length > 0 };
  return {
    guard,
    async checkUrl(text, purpose = {}) {
      const url = parseUrl(text, rulesOf(purpose, context));
      await checkHost(url, resolveHost, purpose.mustResolve ?? false);
      return url;
    },
    request: (request) => followRequest(request, context),
  };
}

function rulesOf({ allowHttp = false, allowHighPorts = false }: AddressPurpose, context: Context): UrlRules {
  return { allowHttp, allowHighPorts, allowLocalNames: context.allowLocalNames };
}

async function checkHost(url: URL, resolveHost: ResolveHost, mustResolve: boolean): Promise<void> {
  try {
    await resolveHost(hostOf(url));
  } catch (error) {
    // Any other error means that the name does not resolve today.
    if (error instanceof ForbiddenUrlError) throw error;
    if (mustResolve && leadsNowhere(hostOf(url))) throw new ForbiddenUrlError('must name a host that can be found');
  }
}

/** Only for certain: a gateway without name resolution today must not refuse a name that may exist. */
function leadsNowhere(host: string): boolean {
  return !host.includes('.') || host.endsWith('.invalid');
}

async function followRequest(request: OutboundRequest, context: Context): Promise<OutboundAnswer> {
  const { redirectsMax = 0, method = 'GET' } = request;
  assert(redirectsMax === 0 || method === 'GET', 'only what changes nothing is sent on to another address');
  const rules = rulesOf(request.purpose ?? {}, context);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
  let url = parseUrl(request.url, rules);
  let headers = request.headers ?? [];
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send({ request, url, headers, signal }, context.connect);
    const { location } = answer.headers;
    if (redirectsMax === 0 || !REDIRECTS.includes(answer.status) || location === undefined) return answer;
    if (redirects >= redirectsMax) throw new OutboundError('too_many_redirects');
    url = nextUrl(location, url, rules);
    headers = [];
  }
}

/** A redirect must not lead from https to http, which would remove the protection of the first address. */
function nextUrl(location: string, from: URL, rules: UrlRules): URL {
  if (!URL.canParse(location, from.href)) throw new ForbiddenUrlError('redirects to an address that is no URL');
  const target = new URL(location, from);
  target.hash = '';
  return parseUrl(target.href, { ...rules, allowHttp: rules.allowHttp && from.protocol === 'http:' });
}

type Hop = Readonly<{ request: OutboundRequest; url: URL; headers: readonly string[]; signal: AbortSignal }>;

/** One connection for one request; pools are for addresses that are called often. */
async function send({ request, url, headers, signal }: Hop, connect: Connector): Promise<OutboundAnswer> {
  const client = new Client(url.origin, {
    connect,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const response = await client.request({
      path: url.pathname + url.search,
      method: request.method ?? 'GET',
      headers: [...OWN_HEADERS, ...(request.range === undefined ? [] : ['range', request.range]), ...headers],
      body: request.body ?? null,
      signal,
    });
    const { statusCode: status, headers: answered } = response;
    const body = await readBody(response.body, answered, request.responseBytesMax).catch((error: unknown) => {
      throw error instanceof OutboundError ? new OutboundError(error.kind, error.cause, status) : error;
    });
    return { status, headers: answered, body, url };
  } catch (error) {
    if (error instanceof ForbiddenUrlError || error instanceof OutboundError) throw error;
    throw new OutboundError(signal.aborted || isConnectTimeout(error) ? 'timeout' : 'unreachable', error);
  } finally {
    await client.destroy();
  }
}

const isConnectTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';

async function readBody(body: Readable, headers: IncomingHttpHeaders, bytesMax: number): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return collect(body, bytesMax);
  const decompressor = createDecompressor(encoding);
  if (decompressor === null) throw new OutboundError('undecodable');
  // A failure of either end reaches the reader below through the decompressor.
  pipeline(body, decompressor, () => undefined);
  try {
    return await collect(decompressor, bytesMax);
  } catch (error) {
    throw error instanceof OutboundError ? error : new OutboundError('undecodable', error);
  }
}

async function collect(source: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new OutboundError('oversize');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// Opens connections, each only after its address was checked, and to exactly that address: the name is resolved only
// here, so it cannot mean one address for the check and another for the connection. A pooled connection goes where it
// was checked to go; a new one is checked again.

const CONNECT_TIMEOUT_MS = 5_000;

type Connector = buildConnector.connector;

const createGuard = (resolveHost: ResolveHost, isAllowed: IsAllowedAddress): ConnectionGuard => ({
  lookup: checkedLookup(resolveHost),
  refusalOf: (address) => (isAllowed(address) ? null : forbiddenAddress()),
});

function createConnector({ lookup, refusalOf }: ConnectionGuard): Connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup });
  return (options, callback) => {
    // Sockets resolve names only, so a literal address has to be checked before.
    const refusal = isIP(options.hostname) === 0 ? null : refusalOf(options.hostname);
    if (refusal === null) connect(options, callback);
    else queueMicrotask(() => callback(refusal, null));
  };
}

function checkedLookup(resolveHost: ResolveHost): LookupFunction {
  return (name, { all }, callback) => {
    resolveHost(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (all) callback(null, found);
        else if (first === undefined) callback(new Error('the name has no address'), '', 0);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, all ? [] : '', 0),
    );
  };
}
