// Mutated bytes and almost right bodies at the door of a running gateway: no answer is a 500, none is missing, and
// afterwards the gateway serves as before and its books are clean.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Description } from '../../src/endpoints/docs/description.ts';
import { descriptions } from '../../src/endpoints/docs/descriptions.ts';
import { ADMIN_TOKEN, type Harness, startHarness } from '../harness.ts';
import { keepFinding, samplesOf } from './corpus.ts';
import { spoil, valueFor } from './hostile-values.ts';
import { mutate, wordsOf } from './mutate.ts';
import { fuzz, TIMEOUT_MS } from './size.ts';

const AT_ONCE = 8;
const HTTP_WORDS = [
  ...[
    '\r\n',
    '\r\n\r\n',
    'Content-Length: 0\r\n',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    ': ',
    'HTTP/1.1',
  ],
  ...[
    'Host: x\r\n',
    'Expect: 100-continue\r\n',
    'Connection: upgrade\r\n',
    'Range: bytes=5-1\r\n',
    '0\r\n\r\n',
    'ffffffff\r\n',
  ],
  ...[
    '%2f',
    '..',
    '?',
    '#',
    'OPTIONS',
    'TRACE',
    'PATCH',
    'DELETE',
    '/v1/keys',
    '/admin/v1/users',
    '/v1/models/',
    'a'.repeat(900),
  ],
];

let harness: Harness;
let key: string;
let managementKey: string;

beforeAll(async () => {
  harness = await startHarness({ unheld: 'what is sent here is in no description' });
  const account = await harness.account(100);
  key = account.key;
  const made = await harness.operate('POST', `/admin/v1/users/${account.userId}/keys`, {
    name: 'm',
    keyType: 'management',
  });
  managementKey = String(made.key);
});

afterAll(() => harness.close());

/** Everything that comes back until the gateway or the client ends the connection. */
function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(harness.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
    // Half closed: nothing more will come that the gateway could wait for.
    socket.end(bytes);
    socket.setTimeout(20_000, () => {
      received += 'left open';
      socket.destroy();
    });
  });
}

test.concurrent('FUZZ-1 bytes', { timeout: TIMEOUT_MS }, async () => {
  const seeds = samplesOf('http').map((bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('KEY', key), 'latin1'),
  );
  const words = wordsOf(HTTP_WORDS);
  const share = { name: 'HTTP bytes', family: 'http', portion: 0.5, inputsLeast: 300, atOnce: AT_ONCE } as const;
  await fuzz(share, async (random) => {
    const bytes = mutate(random, seeds, words);
    const received = await exchange(bytes);
    const isBad =
      /^HTTP\/1\.1 500 /m.test(received) ||
      received.endsWith('left open') ||
      !/^(?:HTTP\/1\.1 \d{3} |$)/.test(received);
    if (!isBad) return;
    const plain = Buffer.from(bytes.toString('latin1').replaceAll(key, 'KEY'), 'latin1');
    expect.fail(`${keepFinding('http', plain)}: ${received.slice(0, 500)}`);
  });
});

type Door = Readonly<{ method: string; path: string; description: Description }>;

/** Requests that would change the gateway's own settings for the others are left out. */
const SETTINGS = /^(?:PUT|PATCH|POST) \/admin\/v1\/(?:config|brake|auto)/;
const doors: readonly Door[] = Object.entries(descriptions)
  .filter(([name, { body }]) => body !== undefined && !SETTINGS.test(name))
  .map(([name, description]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, path, description };
  });

function keyFor(path: string): string {
  if (path.startsWith('/admin/')) return ADMIN_TOKEN;
  return /^\/v1\/(?:keys|management)/.test(path) ? managementKey : key;
}

test.concurrent('FUZZ-1 bodies of every endpoint that takes one', { timeout: TIMEOUT_MS }, async () => {
  expect(doors.length).toBeGreaterThan(50);
  let next = 0;
  const share = {
    name: 'JSON bodies',
    family: 'http',
    portion: 0.5,
    inputsLeast: doors.length * 4,
    atOnce: AT_ONCE,
  } as const;
  await fuzz(share, async (random) => {
    const door = doors[next++ % doors.length] as Door;
    const { example, body: schema } = door.description;
    const base =
      example?.body !== undefined && random.below(3) === 0
        ? example.body
        : schema === undefined
          ? {}
          : valueFor(schema, random);
    const text =
      JSON.stringify(
        spoil({ ...(base as object), ...(random.below(2) === 0 ? { model: 'openai/test' } : {}) }, random),
      ) ?? 'null';
    const path = door.path.replaceAll(/:\w+/g, () =>
      random.pick(['x', '00000000-0000-0000-0000-000000000000', '%00', 'a'.repeat(300)]),
    );
    const answer = await harness.request(door.method, path, { key: keyFor(path), body: text });
    if (answer.status !== 500) return;
    const told = Buffer.from(`${door.method} ${path}\n${text}`);
    expect.fail(
      `${keepFinding('bodies', told)}: ${door.method} ${path} ${answer.text.slice(0, 300)} for ${text.slice(0, 800)}`,
    );
  });
});

test('bodies that once found something are answered', async () => {
  for (const bytes of samplesOf('bodies')) {
    const [head = '', ...rest] = bytes.toString().split('\n');
    const [method = '', path = ''] = head.split(' ');
    const answer = await harness.request(method, path, { key: keyFor(path), body: rest.join('\n') });
    expect(answer.status, head).not.toBe(500);
  }
});

test('after all of it the gateway serves, its books are clean and nothing is held', async () => {
  const { key: freshKey } = await harness.account(1);
  expect((await harness.chat(freshKey, { model: 'openai/test' })).status).toBe(200);
  await expect.poll(() => harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
});
