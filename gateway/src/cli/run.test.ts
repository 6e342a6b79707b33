// The command line against a small real HTTP server that records its requests. A person's words must become exactly one
// right call, or a clear refusal and exit code before any call is made.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { allCommands } from './commands/all.ts';
import { runCli } from './run.ts';

type Call = { method: string | undefined; path: string | undefined; authorization: string | undefined; body: unknown };

let server: Server;
let folder: string;
let environment: Record<string, string>;
let calls: Call[];
let answer: { status: number; body: string };
let drawn: string[];
let idempotencyKeys: unknown[];

beforeEach(async () => {
  calls = [];
  drawn = [];
  idempotencyKeys = [];
  // What every list and detail has, empty.
  answer = {
    status: 200,
    body: '{"users":[],"keys":[],"organizations":[],"orgs":[],"data":[],"lines":[],"costs":[],"models":[],"months":[],"next":null}',
  };
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const text = Buffer.concat(chunks).toString('utf8');
    calls.push({
      method: request.method,
      path: request.url,
      authorization: request.headers.authorization,
      body: text === '' ? null : JSON.parse(text),
    });
    idempotencyKeys.push(request.headers['idempotency-key']);
    response.writeHead(answer.status, { 'x-request-id': 'req-1' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
  const { port } = server.address() as AddressInfo;
  environment = { TOLLGATE_URL: `http://127.0.0.1:${port}`, TOLLGATE_ADMIN_TOKEN: 'token' };
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function run(...parameters: string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const code = await runCli({
    commands: allCommands,
    parameters,
    environment,
    terminal: {
      print: (text) => printed.push(text),
      printError: (text) => complained.push(text),
      drawLine: (text) => drawn.push(text),
    },
  });
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

describe('words become one call', () => {
  test.each([
    [['user', 'create', 'a@example.com'], 'POST', '/admin/v1/users', { email: 'a@example.com', name: 'a@example.com' }],
    [
      ['user', 'create', 'a@example.com', '--name', 'Ann'],
      'POST',
      '/admin/v1/users',
      { email: 'a@example.com', name: 'Ann' },
    ],
    [['user', 'suspend', 'usr-1'], 'PATCH', '/admin/v1/users/usr-1', { suspended: true }],
    [['user', 'resume', 'usr-1'], 'PATCH', '/admin/v1/users/usr-1', { suspended: false }],
    [['user', 'show', 'usr-1'], 'GET', '/admin/v1/users/usr-1', null],
    [['user', 'list', '--query', 'a&b', '--limit', '5'], 'GET', '/admin/v1/users?query=a%26b&limit=5', null],
    [['key', 'list', 'usr-1'], 'GET', '/admin/v1/users/usr-1/keys', null],
    [['key', 'disable', 'key-1'], 'PATCH', '/admin/v1/keys/key-1', { enabled: false }],
    [['key', 'enable', 'key-1'], 'PATCH', '/admin/v1/keys/key-1', { enabled: true }],
    [['key', 'revoke', 'key-1'], 'DELETE', '/admin/v1/keys/key-1', null],
    [
      ['key', 'create', 'usr-1', '--name', 'ci'],
      'POST',
      '/admin/v1/users/usr-1/keys',
      { name: 'ci', keyType: 'standard' },
    ],
    [
      ['key', 'create', 'usr-1', '--type', 'management', '--name', 'ci'],
      'POST',
      '/admin/v1/users/usr-1/keys',
      { name: 'ci', keyType: 'management' },
    ],
    [
      ['credit', 'usr-1', '12.50', '--note', 'invoice 7'],
      'POST',
      '/admin/v1/users/usr-1/credits',
      { amountUsd: '12.50', note: 'invoice 7' },
    ],
    [
      ['credit', '../orgs/1', '1'],
      'POST',
      '/admin/v1/users/..%2Forgs%2F1/credits',
      { amountUsd: '1', note: 'Operator credit' },
    ],
    [
      ['usage', 'rebuild', '--from', '2026-01-31', '--to', '2026-01-31'],
      'POST',
      '/admin/v1/usage/rebuild',
      { from: '2026-01-31', to: '2026-01-31' },
    ],
    [['usage', 'drop', '2025-06'], 'POST', '/admin/v1/usage/drop-months', { before: '2025-06' }],
    [['org', 'create', 'Acme', 'usr-1'], 'POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: 'usr-1' }],
    [
      ['org', 'create', 'Acme', 'usr-1', '--plan', 'monthly', '--line', '500'],
      'POST',
      '/admin/v1/orgs',
      { name: 'Acme', ownerUserId: 'usr-1', billingPlan: 'monthly', creditLineUsd: '500' },
    ],
    [['org', 'list', '--query', 'Ac'], 'GET', '/admin/v1/orgs?query=Ac', null],
    [['org', 'show', '../1'], 'GET', '/admin/v1/orgs/..%2F1', null],
    [['org', 'terms', 'org-1', '--line', '0'], 'PATCH', '/admin/v1/orgs/org-1', { creditLineUsd: '0' }],
    [
      ['org', 'credit', 'org-1', '12.50', '--note', 'invoice 7'],
      'POST',
      '/admin/v1/orgs/org-1/credits',
      { amountUsd: '12.50', note: 'invoice 7' },
    ],
    [
      ['org', 'key', 'org-1', 'usr-1', '--name', 'ci'],
      'POST',
      '/admin/v1/orgs/org-1/keys',
      { name: 'ci', keyType: 'standard', userId: 'usr-1' },
    ],
    [['org', 'statement', 'org-1', '2026-02'], 'GET', '/admin/v1/orgs/org-1/statements?year=2026&month=2', null],
    [
      ['org', 'paid', 'org-1', '2026-02', '--reference', 'wire 9'],
      'POST',
      '/admin/v1/orgs/org-1/statements/2026-02/paid',
      { reference: 'wire 9' },
    ],
    [['orders', '--state', 'paid', '--limit', '5'], 'GET', '/admin/v1/orders?state=paid&limit=5', null],
    [['org', 'suspend', 'org-1'], 'PATCH', '/admin/v1/orgs/org-1', { suspended: true }],
    [['org', 'resume', 'org-1'], 'PATCH', '/admin/v1/orgs/org-1', { suspended: false }],
    [['org', 'terms', 'org-1', '--seats', '30'], 'PATCH', '/admin/v1/orgs/org-1', { seats: 30 }],
    [['catalog', 'show'], 'GET', '/admin/v1/config', null],
    [['catalog', 'providers'], 'GET', '/admin/v1/config', null],
    [['auto', 'show'], 'GET', '/admin/v1/config', null],
    [
      ['auto', 'set', 'free', 'coding', '--models', 'a/b, c/d', '--enabled', 'no'],
      'PATCH',
      '/admin/v1/auto-router/free/coding',
      { enabled: false, models: ['a/b', 'c/d'] },
    ],
    [['brake', 'show'], 'GET', '/admin/v1/brake', null],
    [
      ['brake', 'set', '--enabled', 'yes', '--minute', '0', '--hour', 'none'],
      'PATCH',
      '/admin/v1/brake',
      { enabled: true, minuteUsd: 0, hourUsd: null },
    ],
    [['--json', 'user', 'list'], 'GET', '/admin/v1/users', null],
    [
      ['evidence', 'list', '--category', 'malware', '--after', 'evd-1'],
      'GET',
      '/admin/v1/evidence?category=malware&after=evd-1',
      null,
    ],
    [
      ['usage', 'costs', '--from', '2026-01-01', '--to', '2026-01-31', '--provider', 'main'],
      'GET',
      '/admin/v1/upstream-costs?from=2026-01-01&to=2026-01-31&provider=main',
      null,
    ],
    [['usage', 'absorbed'], 'GET', '/admin/v1/absorbed', null],
    [['exposure', 'lift', 'usr-1'], 'PATCH', '/admin/v1/exposures/usr-1/usr-1', { restricted: false }],
    [
      ['exposure', 'raise', 'usr-1', '2.5', '--account', 'org-1'],
      'PATCH',
      '/admin/v1/exposures/org-1/usr-1',
      { extraUsd: 2.5 },
    ],
  ])('%j', async (parameters, method, path, body) => {
    expect((await run(...parameters)).code).toBe(0);
    expect(calls).toEqual([{ method, path, authorization: 'Bearer token', body }]);
  });
});

describe('an address stands for the id of its user', () => {
  test.each([
    [['org', 'create', 'Acme', 'a@example.com'], '/admin/v1/orgs', { name: 'Acme', ownerUserId: 'usr-7' }],
    [
      ['org', 'key', 'org-1', 'a@example.com', '--name', 'ci'],
      '/admin/v1/orgs/org-1/keys',
      { name: 'ci', keyType: 'standard', userId: 'usr-7' },
    ],
    [['exposure', 'lift', 'a@example.com'], '/admin/v1/exposures/usr-7/usr-7', { restricted: false }],
  ])('%j', async (words, path, body) => {
    answer = { status: 200, body: '{"id":"usr-7"}' };
    expect((await run(...words)).code).toBe(0);
    expect(calls).toMatchObject([
      { method: 'GET', path: '/admin/v1/users/a%40example.com' },
      { path, body },
    ]);
  });
});

describe('answers', () => {
  test('a new key is shown to people as fields and to scripts as JSON', async () => {
    answer = { status: 201, body: '{"id":"key-1","key":"sk-tg-secret","expiresAt":null}' };
    expect((await run('key', 'create', 'usr-1', '--name', 'ci')).printed).toContain('key        sk-tg-secret');
    const { printed } = await run('key', 'create', 'usr-1', '--name', 'ci', '--json');
    expect(JSON.parse(printed)).toEqual({ id: 'key-1', key: 'sk-tg-secret', expiresAt: null });
  });

  test('users and keys are tables, and a page that is not the last says how to go on', async () => {
    const user =
      '{"id":"usr-1","email":"a@example.com","name":"Ann","balanceUsd":2.5,"suspended":false,"createdAt":"2026-01-01"}';
    answer = { status: 200, body: `{"users":[${user}],"next":"usr-1"}` };
    expect((await run('user', 'list')).printed.split('\n')).toEqual([
      'ID     EMAIL          NAME  BALANCE USD  SUSPENDED  CREATED AT',
      'usr-1  a@example.com  Ann   2.5          false      2026-01-01',
      '',
      'There are more: --cursor usr-1',
    ]);
    const key = '{"id":"key-1","name":"ci","keyType":"standard","keySuffix":"Ab1x","enabled":true,"lastUsed":null}';
    answer = { status: 200, body: `{"keys":[${key}]}` };
    expect((await run('key', 'list', 'usr-1')).printed).toContain('key-1  ci    standard  Ab1x       true     -');
  });

  test('models are a table, asked for without the operator token', async () => {
    answer = {
      status: 200,
      body: '{"data":[{"id":"a/b","context_length":null,"pricing":{"prompt":"0","completion":"0.6","cache_read":"1","image":"0.04"}}]}',
    };
    const { code, printed } = await run('catalog', 'models');
    expect(printed.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['MODEL', 'CONTEXT', 'PROMPT', 'COMPLETION', 'PER UNIT'],
      ['a/b', '-', '0', '0.6', 'image 0.04'],
    ]);
    expect({ code, authorization: calls[0]?.authorization }).toEqual({ code: 0, authorization: undefined });
  });

  test('a ledger that does not add up is exit code 1 and names what differs', async () => {
    answer = { status: 200, body: '{"ok":false,"accounts":2,"discrepancies":["usr-1: balance 5, entries 4"]}' };
    const { code, printed } = await run('ledger', 'check');
    expect(code).toBe(1);
    expect(printed).toContain('usr-1: balance 5, entries 4');
  });

  test('a refusal is the message of the gateway with its status and request id', async () => {
    answer = { status: 409, body: '{"error":{"message":"That address is taken.","code":409}}' };
    const { code, complained } = await run('user', 'create', 'a@example.com');
    expect({ code, complained }).toEqual({ code: 1, complained: 'That address is taken. (409, request req-1)' });
  });

  test('something else on the port is recognized', async () => {
    answer = { status: 200, body: '<html>' };
    const { code, complained } = await run('ledger', 'check');
    expect({ code, complained }).toEqual({ code: 1, complained: expect.stringContaining('not a Tollgate gateway') });
  });

  test.each(['localhost:4100', 'ftp://127.0.0.1'])(
    '%s is no address of a gateway, and is said to be none',
    async (url) => {
      environment.TOLLGATE_URL = url;
      const { code, complained } = await run('ledger', 'check');
      expect({ code, complained }).toEqual({
        code: 1,
        complained: `TOLLGATE_URL is not a URL that begins with http:// or https://: ${url}`,
      });
    },
  );

  const listeners: readonly [string, RequestListener][] = [
    ['that breaks off', (_, response) => void response.write('{"balance', () => response.destroy())],
    ['that never comes', (request) => void request.socket.destroy()],
  ];
  test.each(listeners)('an answer %s is said, because nobody knows what was done', async (_, listener) => {
    const breaking = createServer(listener);
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve));
    environment.TOLLGATE_URL = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
    const { code, complained } = await run('credit', 'usr-1', '5');
    expect({ code, complained }).toEqual({ code: 1, complained: expect.stringContaining('broke off') });
    await new Promise((resolve) => breaking.close(resolve));
  });

  test('an address that only leads to another has done nothing, and is said to have done nothing', async () => {
    answer = { status: 308, body: '' };
    const { code, printed, complained } = await run('key', 'revoke', 'key-1');
    expect({ code, printed }).toEqual({ code: 1, printed: '' });
    expect(complained).toContain('Set TOLLGATE_URL');
  });

  test('without an address, the gateway is found where it wrote down that it serves, on this machine', async () => {
    writeFileSync(join(folder, 'address'), `${environment.TOLLGATE_URL}\n`);
    environment = { TOLLGATE_ADMIN_TOKEN: 'token', TOLLGATE_DATA_DIR: folder };
    expect(await run('user', 'suspend', 'usr-1')).toMatchObject({ code: 0 });
    expect(calls).toHaveLength(1);
    writeFileSync(join(folder, 'address'), 'http://192.0.2.1:4100\n');
    expect((await run('ledger', 'check')).complained).toContain('not one of this machine');
  });

  test('nobody listening is said with the address', async () => {
    environment.TOLLGATE_URL = 'http://127.0.0.1:9';
    const { code, complained } = await run('ledger', 'check');
    expect({ code, complained }).toEqual({ code: 1, complained: expect.stringContaining('http://127.0.0.1:9') });
  });
});

describe('what a terminal shows', () => {
  test('long work has a bar, a call for each day, and tells where it stopped', async () => {
    answer = { status: 200, body: '{"days":1,"correctedRows":2}' };
    const { printed } = await run('usage', 'rebuild', '--from', '2026-02-27', '--to', '2026-03-01', '--json');
    expect(JSON.parse(printed)).toEqual({ days: 3, correctedRows: 6 });
    expect(calls.map(({ body }) => (body as { from: string }).from)).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(drawn[0]).toBe('Making sums again [........................] 0 of 3');
    expect(drawn.at(-1)).toBe('');

    server.prependListener('request', () => {
      if (calls.length > 3) answer = { status: 409, body: '{"error":{"message":"Dropped."}}' };
    });
    const stopped = await run('usage', 'rebuild', '--from', '2026-01-01', '--to', '2026-01-09');
    expect(stopped).toMatchObject({ code: 1, complained: expect.stringContaining('The days before 2026-01-02 are') });
  });

  test('a call that takes long says so once a second, and nothing is left of it', async () => {
    // The answer is completed after the terminal has shown the wait.
    server.prependOnceListener('request', (_, response) => {
      const end = response.end.bind(response);
      const endLater = (text: string) =>
        vi.waitUntil(() => drawn.length > 0, { timeout: 20_000 }).then(() => end(text));
      Object.assign(response, { end: endLater });
    });
    await run('user', 'list');
    expect([drawn.at(0), drawn.at(-1)]).toEqual(['Waiting for the gateway: 1 s', '']);
  });

  test("strangers' control characters never reach it", async () => {
    answer = { status: 200, body: '{"users":[{"id":"usr-1","name":"\\u001b]0;x\\u0007\\nAnn"}],"next":null}' };
    expect((await run('user', 'list')).printed).toContain('usr-1  -       ]0;x Ann');
    answer = { status: 400, body: '{"error":{"message":"\\u001b[2J"}}' };
    expect((await run('user', 'list')).complained).toContain('\ufffd[2J');
  });
});

test('readiness is an exit code', async () => {
  answer = { status: 200, body: '{"status":"ready"}' };
  expect(await run('health')).toMatchObject({ code: 0, printed: `${environment.TOLLGATE_URL} is ready.` });
  answer = { status: 503, body: '{"status":"draining"}' };
  const { code, printed } = await run('health', '--json');
  expect({ code, printed: JSON.parse(printed) }).toMatchObject({
    code: 1,
    printed: { ready: false, status: 'draining' },
  });
  expect(calls[0]).toMatchObject({ path: '/readyz', authorization: undefined });
});

test.each([
  ['credit', 'usr-1', '5'],
  ['org', 'credit', 'org-1', '5'],
  ['adjust', 'usr-1', '-5', '--reason', 'twice'],
])('%s %s is safe to repeat, with a reference that is told where it is needed', async (...words) => {
  const sent = () => idempotencyKeys.at(-1) ?? (calls.at(-1)?.body as { reference?: unknown } | undefined)?.reference;
  await run(...words, '--reference', 'wire 7');
  expect(sent()).toBe('wire 7');
  for (const body of ['{"error":{"message":"Failed."}}', '<html>']) {
    answer = { status: 502, body };
    expect((await run(...words)).complained).toContain(` --reference ${sent() ?? 'none'},`);
  }
  answer = { status: 409, body: '{"error":{"message":"Too much."}}' };
  expect((await run(...words)).complained).toBe('Too much. (409, request req-1)');
});

describe('the operator token', () => {
  test('is read from the data folder when the variable is not set', async () => {
    writeFileSync(join(folder, 'admin-token'), 'kept-token\n');
    environment = { TOLLGATE_URL: environment.TOLLGATE_URL ?? '', TOLLGATE_DATA_DIR: folder };
    await run('user', 'suspend', 'usr-1');
    expect(calls[0]?.authorization).toBe('Bearer kept-token');
  });

  test('is asked for when there is none', async () => {
    environment = { TOLLGATE_URL: environment.TOLLGATE_URL ?? '', TOLLGATE_DATA_DIR: folder };
    const { code, complained } = await run('user', 'suspend', 'usr-1');
    expect({ code, calls }).toEqual({ code: 1, calls: [] });
    expect(complained).toContain('TOLLGATE_ADMIN_TOKEN');
  });
});
