// Changes of the catalog from the command line, against a small real HTTP server that records its requests. The command
// shows a change first, asks where somebody can answer, and never removes something without being told to.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allCommands } from './commands/all.ts';
import { runCli } from './run.ts';

type Call = { method: string | undefined; path: string | undefined; body: unknown };

let server: Server;
let folder: string;
let environment: Record<string, string>;
let calls: Call[];
let answer: { status: number; body: string };
/** The answer of a person at a terminal; null where there is no person. */
let typedAnswer: string | null;

beforeEach(async () => {
  calls = [];
  typedAnswer = null;
  applied(['+ model a/b']);
  server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    calls.push({ method: request.method, path: request.url, body: text === '' ? null : JSON.parse(text) });
    response.writeHead(answer.status).end(answer.body);
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
  const answering = async () => typedAnswer ?? '';
  const printed: string[] = [];
  const complained: string[] = [];
  const terminal = {
    print: (text: string) => printed.push(text),
    printError: (text: string) => complained.push(text),
    ask: typedAnswer === null ? undefined : { line: answering, secret: answering },
  };
  const code = await runCli({ commands: allCommands, parameters, environment, terminal });
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

const apply = (text: string, ...more: string[]) => {
  const file = join(folder, 'tollgate.yaml');
  writeFileSync(file, text);
  return run('apply', file, ...more);
};
function applied(changes: string[], removals: string[] = []): void {
  const body = { config: {}, changes, removals, applied: true, revision: 7 };
  answer = { status: 200, body: JSON.stringify(body) };
}
const puts = () => calls.filter(({ method }) => method === 'PUT').map(({ path }) => path);

test('sends the file with its variables filled in, first to see what would change', async () => {
  environment.SECRET_KEY = 'a: b # c';
  await apply(
    `providers: { one: { api_key: ${'$'}{SECRET_KEY}, base_url: "http://${'$'}{SECRET_KEY}/v1" } }\nfree: [1, true]`,
  );
  expect(puts()).toEqual(['/admin/v1/config?dry_run=true', '/admin/v1/config?revision=7']);
  expect(calls.at(-1)?.body).toEqual({
    providers: { one: { api_key: 'a: b # c', base_url: 'http://a: b # c/v1' } },
    free: [1, true],
  });
});

test('keeps a variable that stands in the live document, which the gateway fills in itself', async () => {
  answer = { status: 200, body: JSON.stringify({ base_url: `${'$'}{SIMULATOR_URL}`, changes: [] }) };
  await apply(`providers: { one: { base_url: ${'$'}{SIMULATOR_URL} } }`);
  expect(calls.at(-1)?.body).toEqual({ providers: { one: { base_url: `${'$'}{SIMULATOR_URL}` } } });
});

test('shows what changed', async () => {
  applied(['+ model a/b', '~ provider one: api_key changed']);
  const { printed } = await apply('models: {}', '--yes', '--note', 'why');
  expect(printed).toBe('+ model a/b\n~ provider one: api_key changed\nApplied as revision 7.');
  expect(puts().at(-1)).toBe('/admin/v1/config?note=why');
});

test('with --dry-run and --merge says so, and a dry run is all that is sent', async () => {
  await apply('models: {}', '--dry-run', '--merge');
  expect(puts()).toEqual(['/admin/v1/config?merge=true&dry_run=true']);
});

test('without a terminal what takes something away is refused, unless --yes is said', async () => {
  applied(['- model a/b'], ['- model a/b']);
  const refused = await apply('models: {}');
  expect(refused.code).toBe(1);
  expect(refused.complained).toContain('--yes');
  expect(refused.complained).toContain('- model a/b');
  expect(puts()).toEqual(['/admin/v1/config?dry_run=true']);
  expect((await apply('models: {}', '--yes')).code).toBe(0);
  expect(puts()).toHaveLength(3);
});

test.each([
  ['y', 0, 2],
  ['', 1, 1],
  ['no', 1, 1],
])('at a terminal the difference is shown and asked about: %j', async (typed, code, sent) => {
  typedAnswer = typed;
  const outcome = await apply('models: {}');
  expect({ code: outcome.code, sent: puts().length }).toEqual({ code, sent });
  expect(outcome.complained).toContain('+ model a/b');
});

test('an earlier revision is brought back in the same way', async () => {
  applied(['- model a/b'], ['- model a/b']);
  expect((await run('catalog', 'rollback', '3')).code).toBe(1);
  expect((await run('catalog', 'rollback', '3', '--yes', '--note', 'wrong')).code).toBe(0);
  expect(calls.at(-1)).toMatchObject({
    method: 'POST',
    path: '/admin/v1/config/revisions/3/restore',
    body: { note: 'wrong' },
  });
});

test('refuses a variable that is not set, instead of sending an empty key', async () => {
  const { code, complained } = await apply(`providers: { one: { api_key: ${'$'}{NOT_SET} } }`);
  expect({ code, puts: puts() }).toEqual({ code: 1, puts: [] });
  expect(complained).toContain('NOT_SET');
});

test('says where a file is broken', async () => {
  const { code, complained } = await apply('providers: [');
  expect({ code, puts: puts() }).toEqual({ code: 1, puts: [] });
  expect(complained).toContain('tollgate.yaml');
});
