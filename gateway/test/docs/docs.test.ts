// The published description: it is a valid document, it covers every route, its commands work as they are, the page
// shows it, and the check that all other tests make against it finds what it should.

import { spawn, spawnSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { descriptions } from '../../src/endpoints/docs/descriptions.ts';
import type { OpenApiDocument } from '../../src/endpoints/docs/openapi.ts';
import type { RouteRow } from '../../src/http/exchange.ts';
import { hearingModel, speechModel } from '../audio/audio-harness.ts';
import { routeList, routeName } from '../authorization/route-list.ts';
import { buildWorld, type World } from '../authorization/world.ts';
import { closePages, hasChromium, launchChromium } from '../console/chromium.ts';
import { checkPage, NO_PROBLEMS } from '../console/page-checks.ts';
import { contractProblem, type Heard } from '../contract.ts';
import { type Harness, startHarness } from '../harness.ts';
import { paint, paintingModel, urlsOf } from '../images/image-harness.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { QUICK, video } from '../videos/video-bed.ts';
import { CurlBed, type Ran } from './curl-bed.ts';
import { documentProblems } from './document-problems.ts';

let harness: Harness;
let published: OpenApiDocument;
let world: World;
const clock = new ShiftedClock();

beforeAll(async () => {
  harness = await startHarness({
    env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
    start: { clock },
    models: {
      'acme/vectors': { entry: { output_modalities: ['embeddings'] } },
      'acme/ranker': { entry: { output_modalities: ['rerank'] } },
      'acme/painter': paintingModel(),
      'acme/film': video(QUICK),
      'acme/speaker': speechModel(),
      'acme/listener': hearingModel(),
    },
  });
  published = (await harness.request('GET', '/openapi.json')).body as unknown as OpenApiDocument;
  world = await buildWorld(harness);
});

afterAll(() => harness.close());

describe('the document', () => {
  test('is OpenAPI 3.1, and every reference in it leads somewhere', () => {
    expect(documentProblems(published)).toEqual([]);
  });

  test('problems of a document are seen', () => {
    const path = published.paths['/v1/keys/{id}'];
    const broken = {
      ...published,
      paths: { '/v1/keys': path, '/v1/keys/{id}': path },
      components: {
        ...published.components,
        schemas: { Odd: { type: 'strange', required: ['x'], description: 'odd' } },
      },
    } as OpenApiDocument;
    const problems = documentProblems(broken).join('\n');
    for (const word of ['not unique', 'path parameters', 'leads nowhere', 'is no type', 'required and not there']) {
      expect(problems).toContain(word);
    }
    expect(problems).toContain('Odd: odd is no sentence');
  });

  test('VER-07 has every route, and nothing else', () => {
    const written = Object.entries(published.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = routeList.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(written.toSorted()).toEqual(routes.map((route) => route.replace('*', '{path}')).toSorted());
    expect(Object.keys(descriptions).toSorted()).toEqual(routeList.map(routeName).toSorted());
  });

  test('is public, and asked for again only when it has changed', async () => {
    const first = await harness.request('GET', '/openapi.json');
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await harness.request('GET', '/openapi.json', { headers: { 'If-None-Match': known } });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await harness.request('GET', '/openapi.json', { headers: { 'If-None-Match': '"other"' } })).status).toBe(
      200,
    );
    const zipped = await fetch(`${harness.url}/openapi.json`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect([zipped.headers.get('content-encoding'), await zipped.text()]).toEqual(['gzip', first.text]);
  });

  test('examples follow the catalog', async () => {
    expect(JSON.stringify(published.paths['/v1/embeddings'])).toContain('acme/vectors');
    expect(JSON.stringify(published.paths['/v1/audio/speech'])).toContain('acme/speaker');
  });
});

/** Commands that cannot succeed here for any reader, and why. */
const REFUSED: Readonly<Record<string, readonly [status: number, because: string]>> = {
  'GET /v1/responses': [405, 'it is there to refuse'],
  'POST /v1/responses/compact': [400, 'no provider here speaks Responses'],
  'POST /v1/credits/redeem': [404, 'no code is known beforehand'],
  'POST /api/account/redeem': [404, 'no code is known beforehand'],
  'DELETE /admin/v1/codes/:id': [404, 'no batch of codes is known beforehand'],
  'POST /admin/v1/orders/:id/refund': [404, 'no order is known beforehand'],
  'POST /v1/credits/topups': [503, 'nobody takes payments here'],
  'POST /api/account/topups': [503, 'nobody takes payments here'],
  'PUT /api/account/auto-topup': [503, 'nobody keeps cards here'],
  'POST /api/account/auto-topup/card': [503, 'nobody keeps cards here'],
  'POST /webhooks/:provider': [404, 'nobody takes payments here'],
  'POST /api/leaks/github': [404, 'no scanner is trusted here'],
  'POST /admin/v1/orgs/:id/statements/:month/paid': [409, 'the organization pays in advance'],
  'POST /admin/v1/ledger/months/:month/archive': [409, 'no month is closed here'],
  'GET /admin/v1/ledger/months/:month/entries': [404, 'no month is closed here'],
  'POST /api/auth/verify-email': [400, 'the token is in a mail'],
  'POST /api/auth/reset-password': [400, 'the token is in a mail'],
  'POST /api/invitations/accept': [404, 'the token is in a mail'],
  'GET /api/invitations/:token': [404, 'the token is in a mail'],
  'POST /api/invitations/decline': [404, 'nobody was invited here'],
  'POST /api/orgs/:orgId/leave': [400, 'the last administrator stays'],
  'POST /api/auth/second-factor': [401, 'whoever signs in here has no second factor'],
  'POST /api/auth/second-factor/passkey': [401, 'whoever signs in here has no second factor'],
  'POST /api/auth/factors/totp/confirm': [400, 'the code is shown by an app'],
  'POST /api/auth/factors/recovery-codes': [409, 'whoever signs in here has no second factor'],
  'POST /api/auth/factors/passkeys': [400, 'an authenticator makes it'],
  'POST /api/auth/factors/passkeys/:id/remove': [404, 'there is no passkey'],
  'PUT /api/orgs/:orgId/sign-on': [409, 'no domain is confirmed here'],
  'DELETE /api/orgs/:orgId/sign-on': [404, 'there is no single sign-on here'],
  'DELETE /admin/v1/orgs/:id/sign-on': [404, 'there is no single sign-on here'],
  'POST /api/orgs/:orgId/domains/:domain/check': [409, 'the record is not there'],
  'POST /scim/v2/Users': [400, 'no domain is confirmed here'],
  'PUT /scim/v2/Users/:id': [400, 'no domain is confirmed here'],
  'GET /v1/generation/content': [404, 'nothing is kept here'],
  'POST /api/edu/verify': [400, 'the code is in a mail'],
  'POST /v1/auth/keys': [403, 'the code is given to an application'],
  'GET /api/auth/oauth/:provider': [404, 'no other site is set up here'],
  'GET /api/auth/oauth/:provider/callback': [404, 'no other site is set up here'],
  'PUT /admin/v1/providers/:name/keys/:key': [404, 'nobody of this name is connected'],
  'DELETE /admin/v1/providers/:name/keys/:key': [404, 'nobody of this name is connected'],
  'GET /api/site/models/:slug/routes': [404, 'models are not for everybody here'],
  'GET /admin/v1/evidence/:id': [404, 'nothing was refused here'],
  'POST /v1/batches': [400, 'no file is known beforehand'],
  'GET /api/edu/session': [403, 'the key of the commands is no session of a student'],
};
/** They are served once they have been built. */
const BUILT = new Set(['GET /edu', 'GET /console/*']);

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.error('\n!! NOT RUN: the commands of the published description. Install curl to run them.');

function commandProblems(row: RouteRow, { status, contentType, text, complaint }: Ran): string[] {
  const name = routeName(row);
  const [refusal] = REFUSED[name] ?? [];
  const isFine = status < 400 ? refusal === undefined : status === refusal || (BUILT.has(name) && status === 404);
  const failure = isFine && status > 0 ? [] : [`${name}: ${status} ${text.slice(0, 300)} ${complaint}`];
  // Curl prints the head of an answer to HEAD, and what it writes to a file it does not print.
  if (row.method === 'HEAD' || text === '') return failure;
  const target = row.path.replaceAll(':', '');
  const problem = contractProblem({ method: row.method, target, requestText: null, status, contentType, text });
  return problem === null ? failure : [...failure, problem];
}

test.skipIf(!hasCurl)('every command of the document works as it stands', async () => {
  const key = world.headers.standardOwn.Authorization?.slice('Bearer '.length) ?? '';
  const [url = ''] = urlsOf(await paint(harness, key));
  const order = await harness.request('POST', '/v1/videos', { key, body: { model: 'acme/film', prompt: 'A cat.' } });
  clock.move(8_001);
  const isMade = async () => (await harness.request('GET', `/v1/videos/${String(order.body.id)}`, { key })).body.status;
  await expect.poll(isMade).toBe('completed');
  const picture = { TOKEN: url.split('/').at(-1) ?? '' };
  const film = { VIDEO_ID: String(order.body.id), GENERATION_ID: String(order.body.id) };
  const films = routeList.filter(({ path }) => path.startsWith('/v1/video') && path.includes(':id'));
  const things = {
    'GET /v1/images/proxy/:token': picture,
    'HEAD /v1/images/proxy/:token': picture,
    ...Object.fromEntries(films.map((row) => [routeName(row), film])),
  };
  const bed = await CurlBed.open({ world, document: published, things });
  const wrong: string[] = [];
  const runAll = async (rows: readonly RouteRow[]): Promise<void> => {
    for (const row of rows) wrong.push(...commandProblems(row, await bed.run(row)));
  };
  // For these a call is made, which other commands forbid the organization.
  const first = routeList.filter(({ path }) => path.includes('/transcripts/'));
  await runAll(first);
  const rest = routeList.filter((row) => !first.includes(row));
  // Commands that use the file with the cookie run one after the other: one that signs somebody else in would otherwise
  // do so in the middle of a command of this person. The others run beside them.
  const others = rest.filter((row) => !bed.usesCookies(row));
  const lanes = [0, 1, 2].map((lane) => others.filter((_, index) => index % 3 === lane));
  await Promise.all([rest.filter((row) => bed.usesCookies(row)), ...lanes].map(runAll));
  await bed.close();
  expect(wrong).toEqual([]);
});

describe.skipIf(!hasChromium)('the page', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${harness.url}/docs`);
  });

  afterAll(() => closePages(browser));

  test('finds routes by their words, with the keys alone', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('keys delete');
    const visible = page.locator('.operation:visible > summary');
    const found = await visible.allTextContents();
    expect(found.length).toBeGreaterThan(2);
    expect(found.every((text) => text.startsWith('DEL') && /keys/.test(text))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await visible.first().evaluate((summary) => summary.parentElement?.hasAttribute('open'))).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    expect(await visible.count()).toBeGreaterThan(routeList.length);
  });

  test('copies a command with the address that the reader came by', async () => {
    const address = harness.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${address}/docs#get-v1-models`);
    const operation = page.locator('#get-v1-models');
    expect(await operation.getAttribute('open')).not.toBeNull();
    await operation.locator('.copy').click();
    await operation.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl "${address}/v1/models?output_modalities=all"`,
    );
  });

  test('makes a call with the reader’s key, and writes it in other languages', async () => {
    const key = world.headers.standardOwn.Authorization?.replace('Bearer ', '') ?? '';
    await page.goto(`${harness.url}/docs#post-v1-chat-completions`);
    const operation = page.locator('#post-v1-chat-completions');
    await operation.getByText('Try it').click();
    await operation.getByLabel('Your key').fill(key);
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('Answered with 200.').waitFor();
    await operation.getByText('"object": "chat.completion"').waitFor();
    await operation.getByRole('button', { name: 'JavaScript' }).click();
    const script = await operation.locator('.example code').textContent();
    // Not run synchronously: the gateway that it calls is in this process.
    const ran = await new Promise<string>((resolve) => {
      const env = { ...process.env, TOLLGATE_API_KEY: key };
      const child = spawn(process.execPath, ['--input-type=module'], { env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          output += chunk;
        });
      }
      child.on('close', () => resolve(output));
      child.stdin.end(script);
    });
    expect(ran).toContain('"object":"chat.completion"');
    await operation.getByRole('button', { name: 'Python' }).click();
    const code = await operation.locator('.example code').textContent();
    expect(code).toContain(`f"Bearer {os.environ['TOLLGATE_API_KEY']}"`);
    expect(code).toContain('    json={\n');
    await page.goto(`${harness.url}/docs#get-v1-models`);
    await page.locator('#get-v1-models').getByText('Try it').click();
    await page.locator('#get-v1-models').getByRole('button', { name: 'Send' }).click();
    await page.locator('#get-v1-models').getByText('Answered with 200.').waitFor();
  });

  test('keeps nobody out, in light and dark and on a phone, and obeys its policy', async () => {
    // All entries are made alike, and checking some hundreds of them would take a minute.
    await page.evaluate(() => {
      const kept = ['post-v1-chat-completions', 'get-v1-usage', 'schema-key'];
      for (const entry of document.querySelectorAll('.operation, nav details')) {
        if (kept.includes(entry.id)) entry.setAttribute('open', '');
        else entry.remove();
      }
    });
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    const { headers } = await harness.request('GET', '/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(complaints).toEqual([]);
  });
});

describe('answers are held against their descriptions', () => {
  const credits: Heard = {
    method: 'GET',
    target: '/v1/credits',
    requestText: null,
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: '{"data":{"total_credits":1,"total_usage":0}}',
  };
  const error = (code: unknown): string => JSON.stringify({ error: { message: 'No.', type: 'x', code } });
  const chat: Heard = { ...credits, method: 'POST', target: '/v1/chat/completions', status: 400 };

  test('what is described passes, on the older paths too', () => {
    expect(contractProblem(credits)).toBeNull();
    expect(contractProblem({ ...credits, target: '/api/v1/credits' })).toBeNull();
    expect(contractProblem({ ...chat, text: error('unknown_model') })).toBeNull();
    expect(contractProblem({ ...credits, target: '/nowhere', status: 404, text: '?' })).toBeNull();
  });

  test.each<[string, Heard]>([
    ['an undescribed status', { ...credits, status: 201 }],
    ['an undescribed field', { ...credits, text: '{"data":{"total_credits":1,"total_usage":0,"x":1}}' }],
    ['a missing field', { ...credits, text: '{"data":{"total_credits":1}}' }],
    ['a field of another type', { ...credits, text: '{"data":{"total_credits":"1","total_usage":0}}' }],
    ['an undescribed type', { ...credits, contentType: 'text/plain', text: 'x' }],
    ['an undescribed code', { ...credits, status: 404, text: error('model_not_found') }],
    ['a code with another status', { ...chat, status: 404, text: error('unknown_model') }],
    ['another envelope', { ...chat, text: '{"error":"unknown_model"}' }],
    ['an accepted request that is not described', { ...chat, status: 200, requestText: '{"messages":[]}', text: '' }],
  ])('%s is seen', (_name, heard) => {
    expect(contractProblem(heard)).not.toBeNull();
  });
});
