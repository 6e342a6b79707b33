// The client for strangers' addresses, against real listeners on this machine. Only the resolver is ours, because the
// attack is a resolver that gives false answers.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOutbound, type Outbound } from '../../src/platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../src/platform/outbound/outbound-error.ts';
import { tell } from '../../src/platform/outbound/paced-calls.ts';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { hostileNames, hostileSpellings } from './spellings.ts';
import { setTrap, type Trap } from './trap.ts';

const PURPOSE = { allowHttp: true, allowHighPorts: true };
const LIMITS = { timeoutMs: 3_000, responseBytesMax: 1_000 };

/** Names end in `.example`, so that none of them belongs to anybody. */
const lookupNames: Lookup = (name) => {
  const addresses = { ...hostileNames, 'allowed.example': ['127.0.0.2'] }[name];
  return addresses === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(addresses);
};

let trap: Trap;
/** Answers what a test wants it to, on an address of its own that is let through. */
let server: Server;
let url: string;
let seen: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  trap = await setTrap();
  server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  url = `http://127.0.0.2:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  seen = [];
  answer = (_, response) => response.end('fine');
});

afterAll(async () => {
  await trap.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const allowing = (lookup: Lookup = lookupNames): Outbound => createOutbound({ allowCidrs: ['127.0.0.2/32'], lookup });
const closed = createOutbound({ allowCidrs: [], lookup: lookupNames });

const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const kindOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await errorOf(work);
  return error instanceof OutboundError ? error.kind : String(error);
};

test('BYOK-05 no spelling passes the check, and none is dialled', async () => {
  const spellings = hostileSpellings(trap.port);
  expect(spellings.length).toBeGreaterThan(120);
  for (const spelling of spellings) {
    expect(await errorOf(closed.checkUrl(spelling, PURPOSE)), spelling).toBeInstanceOf(ForbiddenUrlError);
    const error = await errorOf(closed.request({ url: spelling, purpose: PURPOSE, ...LIMITS }));
    expect(error, spelling).toBeInstanceOf(ForbiddenUrlError);
  }
  expect(trap.hits()).toBe(0);
});

test('BYOK-05 one range that is let through opens nothing else', async () => {
  const outbound = allowing();
  const undecided: string[] = [];
  for (const spelling of hostileSpellings(trap.port)) {
    const error = await errorOf(outbound.request({ url: spelling, purpose: PURPOSE, ...LIMITS }));
    if (!(error instanceof ForbiddenUrlError)) undecided.push(`${new URL(spelling).hostname} ${String(error)}`);
  }
  // Names of private networks may now mean something; these mean nothing to the resolver.
  const names = undecided.filter((text) => !text.startsWith('127.0.0.2 '));
  expect(undecided.length - names.length).toBe(1);
  for (const name of names) expect(name).toMatch(/^[a-z0-9.-]*[a-z][a-z0-9.-]* OutboundError: unreachable$/);
  expect(trap.hits()).toBe(1);
});

test('BYOK-05 public addresses pass, and so does a name that nobody knows today', async () => {
  const open = createOutbound({
    allowCidrs: [],
    lookup: () => Promise.resolve(['93.184.216.34', '2606:2800:220:1::1']),
  });
  for (const text of [
    'https://public.example/v1',
    'http://public.example:8080',
    'https://93.184.216.34',
    'https://[2606:2800:220:1::1]/v1',
  ]) {
    expect((await open.checkUrl(text, PURPOSE)).protocol).toMatch(/^https?:$/);
  }
  expect((await closed.checkUrl('https://unknown.example./v1', PURPOSE)).hostname).toBe('unknown.example');
});

test('BYOK-05 without a purpose only https on its own port is accepted', async () => {
  const open = createOutbound({ allowCidrs: [], lookup: () => Promise.resolve(['93.184.216.34']) });
  await open.checkUrl('https://public.example/hook?x=1');
  for (const text of ['http://public.example/', 'https://public.example:8443/', 'https://public.example:80/']) {
    expect(await errorOf(open.checkUrl(text)), text).toBeInstanceOf(ForbiddenUrlError);
  }
});

test('BYOK-05 the refusal is the same whatever the name leads to', async () => {
  const messages = new Set<string>();
  for (const host of ['10.0.0.1', '[::1]', 'metadata.example', 'mixed.example', 'localhost']) {
    messages.add(String(await errorOf(closed.checkUrl(`https://${host}/`))));
  }
  expect(messages.size).toBe(1);
});

test('BYOK-05 a name that changes its mind after the check reaches nothing, however often', async () => {
  let lookups = 0;
  const rebinding: Lookup = () => {
    lookups += 1;
    return Promise.resolve(lookups % 2 === 1 ? ['93.184.216.34'] : ['127.0.0.1']);
  };
  const outbound = createOutbound({ allowCidrs: [], lookup: rebinding });
  const before = trap.hits();
  const rebound = `http://rebinding.example:${trap.port}/`;
  for (let round = 0; round < 500; round += 1) {
    await outbound.checkUrl(rebound, PURPOSE);
    expect(await errorOf(outbound.request({ url: rebound, purpose: PURPOSE, ...LIMITS }))).toBeInstanceOf(
      ForbiddenUrlError,
    );
  }
  expect(lookups).toBe(1_000);
  expect(trap.hits()).toBe(before);
});

test('BYOK-05 a connection goes to the very address that was checked: there is no second look', async () => {
  const asked: string[] = [];
  const outbound = allowing((name) => {
    asked.push(name);
    return Promise.resolve(asked.length === 1 ? ['127.0.0.2'] : ['127.0.0.1']);
  });
  const target = `http://allowed.example:${new URL(url).port}/`;
  expect((await outbound.request({ url: target, purpose: PURPOSE, ...LIMITS })).body.toString()).toBe('fine');
  expect(asked).toEqual(['allowed.example']);
  expect(seen[0]?.headers.host).toContain('allowed.example');
  expect(await errorOf(outbound.request({ url: target, purpose: PURPOSE, ...LIMITS }))).toBeInstanceOf(
    ForbiddenUrlError,
  );
});

test.each([301, 302, 303, 307, 308])('BYOK-05 a %s is not followed unless asked', async (status) => {
  answer = (_, response) => response.writeHead(status, { location: `http://127.0.0.1:${trap.port}/` }).end();
  const before = trap.hits();
  const outbound = allowing();
  const request = { url, purpose: PURPOSE, headers: ['authorization', 'Bearer secret'], ...LIMITS };
  expect((await outbound.request(request)).status).toBe(status);
  expect(await errorOf(outbound.request({ ...request, redirectsMax: 3 }))).toBeInstanceOf(ForbiddenUrlError);
  expect(seen).toHaveLength(2);
  expect(trap.hits()).toBe(before);
});

test('BYOK-05 redirects to hostile spellings, other schemes and credentials end there', async () => {
  const outbound = allowing();
  const before = trap.hits();
  for (const location of hostileSpellings(trap.port).filter(
    (text) => /^[!-~]+$/.test(text) && !text.includes('127.0.0.2'),
  )) {
    answer = (_, response) => response.writeHead(302, { location }).end();
    const error = await errorOf(outbound.request({ url, purpose: PURPOSE, redirectsMax: 1, ...LIMITS }));
    const isEnded = error instanceof ForbiddenUrlError || error instanceof OutboundError;
    expect(isEnded, location).toBe(true);
  }
  expect(trap.hits()).toBe(before);
});

test('BYOK-05 a redirect that is followed takes no credentials along, and there is an end to them', async () => {
  answer = (request, response) => {
    if (request.url === '/there') response.end('arrived');
    else response.writeHead(302, { location: request.url === '/loop' ? '/loop' : '/there' }).end();
  };
  const outbound = allowing();
  const headers = ['authorization', 'Bearer secret', 'x-api-key', 'secret'];
  const arrived = await outbound.request({ url, purpose: PURPOSE, headers, redirectsMax: 3, ...LIMITS });
  expect(arrived.body.toString()).toBe('arrived');
  expect(seen.map(({ headers: { authorization } }) => authorization)).toEqual(['Bearer secret', undefined]);
  expect(seen[1]?.headers['x-api-key']).toBeUndefined();
  const loop = outbound.request({ url: `${url}/loop`, purpose: PURPOSE, redirectsMax: 3, ...LIMITS });
  expect(await kindOf(loop)).toBe('too_many_redirects');
  expect(seen).toHaveLength(6);
});

test('BYOK-05 size, headers, compression and time are bounded', async () => {
  const outbound = allowing();
  const request = (limits = LIMITS): Promise<unknown> => outbound.request({ url, purpose: PURPOSE, ...limits });
  answer = (_, response) => response.end('x'.repeat(2_000));
  expect(await kindOf(request())).toBe('oversize');
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  expect(await kindOf(request())).toBe('oversize');
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('small'));
  expect((await outbound.request({ url, purpose: PURPOSE, ...LIMITS })).body.toString()).toBe('small');
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(bomb));
  expect(await kindOf(request())).toBe('undecodable');
  answer = (_, response) =>
    response.writeHead(200, { 'x-long': 'x'.repeat(15_000), 'x-more': 'x'.repeat(15_000) }).end();
  expect(await kindOf(request())).toBe('unreachable');
  answer = (_, response) => response.write('slow');
  expect(await kindOf(request({ ...LIMITS, timeoutMs: 200 }))).toBe('timeout');
});

test('whoever answers with a long or unreadable body has confirmed by the status alone', async () => {
  const outbound = allowing();
  const long = 'x'.repeat(100_000);
  const told = (): Promise<string | null> => tell(outbound, { url, purpose: PURPOSE, body: '{}' });
  answer = (_, response) => response.writeHead(503).end(long);
  expect(await told()).toBe('status 503');
  answer = (_, response) => response.writeHead(404, { 'content-encoding': 'gzip, gzip' }).end('?');
  expect(await told()).toBe('status 404');
  answer = (_, response) => response.writeHead(200).end(long);
  expect(await told()).toBeNull();
  answer = (_, response) => response.writeHead(204, { 'content-encoding': 'unknown' }).end();
  expect(await told()).toBeNull();
});
