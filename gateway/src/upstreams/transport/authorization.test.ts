// A token is fetched once for all callers that wait, kept until shortly before its end, and dropped when it is refused.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { AuthorizationError, type TokenGrant } from '../protocol.ts';
import type { TransportCall } from './receiver.ts';
import { createTransport } from './transport.ts';

const servers: Server[] = [];
const transports: ReturnType<typeof createTransport>[] = [];

afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives out t1, t2, …; how many it has given is how often it was asked. */
async function tokenOffice(answer: (count: number) => object, status = 200) {
  const asked: string[] = [];
  const url = await listen((request, response) => {
    let form = '';
    request.on('data', (chunk) => {
      form += chunk;
    });
    request.on('end', () => {
      asked.push(form);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer(asked.length)));
    });
  });
  const grant: TokenGrant = { identity: 'account', request: async () => ({ url: `${url}/token`, body: 'grant=x' }) };
  return { asked, grant };
}

function openTransport(clock = systemClock) {
  const transport = createTransport({ clock, guard: { lookup: () => {}, refusalOf: () => null } });
  transports.push(transport);
  return transport;
}

const sign = (_: unknown, token: string): readonly string[] => ['authorization', `Bearer ${token}`];

type Outcome = { status: number; body: string } | { kind: string; detail: string; isUnsent: boolean };

function ask(transport: ReturnType<typeof createTransport>, call: Partial<TransportCall>): Promise<Outcome> {
  return new Promise((resolve) => {
    let status = 0;
    let body = '';
    transport.send(
      {
        baseUrl: 'http://127.0.0.1:9',
        path: '/ask',
        headers: [],
        body: 'question',
        timeouts: { firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000 },
        responseBytesMax: 10_000,
        ...call,
      },
      {
        onStart: (started) => {
          status = started;
        },
        onData: (chunk) => {
          body += chunk.toString();
        },
        onEnd: () => resolve({ status, body }),
        onFail: resolve,
      },
    );
  });
}

/** Takes one token at a time and refuses all others. */
async function guardedUpstream(isGood: (authorization: string) => boolean) {
  const seen: string[] = [];
  const baseUrl = await listen((request, response) => {
    request.resume().on('end', () => {
      const { authorization = '' } = request.headers;
      seen.push(authorization);
      response.writeHead(isGood(authorization) ? 200 : 401).end(authorization);
    });
  });
  return { baseUrl, seen };
}

test('ROUTE-04 fifty calls at once fetch one token, and later calls use it', async () => {
  const { asked, grant } = await tokenOffice((count) => ({ access_token: `t${count}`, expires_in: 3_600 }));
  const { baseUrl } = await guardedUpstream(() => true);
  const transport = openTransport();
  const call = { baseUrl, authorization: { sign, grant } };
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(transport, call)));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
    new Set([JSON.stringify({ status: 200, body: 'Bearer t1' })]),
  );
  await ask(transport, call);
  expect(asked).toEqual(['grant=x']);
});

test('ROUTE-04 a token that has come to its end is renewed once by fifty calls', async () => {
  const { asked, grant } = await tokenOffice((count) => ({ access_token: `t${count}`, expires_in: 3_600 }));
  const { baseUrl } = await guardedUpstream(() => true);
  let aheadMs = 0;
  const transport = openTransport({
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  });
  const call = { baseUrl, authorization: { sign, grant } };
  await ask(transport, call);
  aheadMs = 3_600_000 - 30_000;
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(transport, call)));
  expect(outcomes.every((outcome) => 'body' in outcome && outcome.body === 'Bearer t2')).toBe(true);
  expect(asked).toHaveLength(2);
});

test('ROUTE-04 tokens that the upstream refuses before their time are renewed once, and the calls go again', async () => {
  const { asked, grant } = await tokenOffice((count) => ({ access_token: `t${count}`, expires_in: 3_600 }));
  let good = 'Bearer t1';
  const { baseUrl, seen } = await guardedUpstream((authorization) => authorization === good);
  const transport = openTransport();
  const call = { baseUrl, authorization: { sign, grant } };
  await ask(transport, call);
  good = 'Bearer t2';
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(transport, call)));
  expect(outcomes.every((outcome) => 'status' in outcome && outcome.status === 200)).toBe(true);
  expect(asked).toHaveLength(2);
  good = 'nothing';
  seen.length = 0;
  expect(await ask(transport, call)).toEqual({ status: 401, body: 'Bearer t3' });
  expect(seen).toEqual(['Bearer t2', 'Bearer t3']);
});

test('ERR-56 a token that is not given fails the call before it is sent, without a word of the secret', async () => {
  const { grant } = await tokenOffice(() => ({ error: 'invalid_grant', error_description: 'key SECRET is bad' }), 400);
  const { baseUrl, seen } = await guardedUpstream(() => true);
  const outcome = await ask(openTransport(), { baseUrl, authorization: { sign, grant } });
  expect(outcome).toEqual({ kind: 'unauthorized', detail: 'the token was refused: 400 invalid_grant', isUnsent: true });
  expect(seen).toEqual([]);
});

test.each([
  ['no token', { token_type: 'Bearer' }],
  ['a token with a line break', { access_token: 'a\r\nx-evil: 1' }],
  ['a token that is no text', { access_token: 7 }],
])('ERR-56 an answer with %s is no token', async (_, answer) => {
  const { grant } = await tokenOffice(() => answer);
  const outcome = await ask(openTransport(), { authorization: { sign, grant } });
  expect(outcome).toMatchObject({ kind: 'unauthorized', isUnsent: true });
});

test('ERR-55 an office that cannot be reached is a failure of the way, not of the credentials', async () => {
  const grant = { identity: 'x', request: async () => ({ url: 'http://127.0.0.1:9/token', body: '' }) };
  expect(await ask(openTransport(), { authorization: { sign, grant } })).toMatchObject({ kind: 'unreachable' });
});

test('ERR-56 what a signer throws is not repeated unless the words are ours', async () => {
  const fail = (error: Error) =>
    ask(openTransport(), {
      authorization: {
        grant: null,
        sign: () => {
          throw error;
        },
      },
    });
  expect(await fail(new Error('SECRET'))).toMatchObject({ detail: 'the call could not be signed', isUnsent: true });
  expect(await fail(new AuthorizationError('no key'))).toMatchObject({ detail: 'no key' });
});

test('a call that is cancelled while its token is fetched is never sent', async () => {
  let release: (value: unknown) => void = () => undefined;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const office = await listen((_, response) => {
    void held.then(() => response.end(JSON.stringify({ access_token: 't1' })));
  });
  const { baseUrl, seen } = await guardedUpstream(() => true);
  const transport = openTransport();
  const grant = { identity: 'x', request: async () => ({ url: office, body: '' }) };
  const limits = { timeouts: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 }, responseBytesMax: 100 };
  const call = { baseUrl, path: '/', headers: [], body: '', authorization: { sign, grant }, ...limits };
  const nothing = {
    onStart: () => undefined,
    onData: () => undefined,
    onEnd: () => undefined,
    onFail: () => undefined,
  };
  transport.send(call, nothing).cancel();
  release(null);
  await ask(transport, { baseUrl, authorization: { sign, grant } });
  expect(seen).toHaveLength(1);
});
