// Lines that are handed to a provider's own batch interface: at its price where the catalog states one, once in the
// results and in the books, whatever is lost on the way, and run by the gateway where the provider does not take them.
// All batches run side by side, because each waits for the provider.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS, TEST_MS_MAX } from '../patience.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const LIMIT = { timeout: TEST_MS_MAX };
/** Ten tokens at 1 and twenty at 2 USD a million; half of that by batch. */
const COST = 0.00005;
const CHEAP = 0.000025;
const LINES = 6;

/**
 * Providers by their fault. Commands in an address apply to everything that is asked there, and make it different from
 * the others.
 */
const BASES = {
  plain: 'openai tokens-10-20',
  claude: 'anthropic tokens-10-20',
  busy: 'openai status-503+every-5',
  lossy: 'openai tokens-1-1',
  garbled: 'openai tokens-1-2',
  short: 'openai tokens-1-3',
  refusing: 'openai tokens-1-4',
  cancelled: 'openai tokens-1-5',
  revoked: 'openai tokens-1-6',
  poor: 'openai tokens-1-7',
  others: 'openai tokens-1-8',
  dear: 'openai tokens-1-9',
  halted: 'openai tokens-2-1',
  charged: 'openai tokens-2-2',
  unsettled: 'openai tokens-2-3',
  papers: 'openai tokens-2-4',
  online: 'openai tokens-2-5',
} as const;
type Base = keyof typeof BASES;

let harness: Harness;
let database: Client;
const clients = new Map<string, OpenAI>();
const keys = new Map<string, string>();

beforeAll(async () => {
  harness = await startHarness();
  const { url } = harness.simulator;
  const providers: Json = {};
  const models: Json = {};
  const entry = { pricing: { prompt: '1', completion: '2' }, context_length: 8_000, max_completion_tokens: 500 };
  for (const [name, described] of Object.entries(BASES)) {
    const [protocol, commands] = described.split(' ');
    providers[name] = { protocol, base_url: `${url}/sim-${commands}/v1`, api_key: name };
    models[`acme/${name}`] = {
      ...entry,
      extras: { batch: '0.5' },
      routes: [{ provider: name, upstream_model: 'sim-tokens-10-20' }],
    };
  }
  models['acme/unpriced'] = { ...entry, routes: [{ provider: 'dear', upstream_model: 'sim-tokens-10-20' }] };
  models['acme/wrong'] = {
    ...{ ...entry, extras: { batch: '0.5' } },
    routes: [{ provider: 'plain', upstream_model: 'sim-status-400' }],
  };
  models['acme/papers'] = {
    ...(models['acme/papers'] as Json),
    pricing: { prompt: '4', completion: '8' },
    context_length: 400_000,
    input_modalities: ['text', 'file'],
  };
  models['acme/embed'] = { ...(models['acme/others'] as Json), output_modalities: ['embeddings'] };
  await harness.operate('PUT', '/admin/v1/config', { ...configDocument(url, {}), providers, models });
  database = new Client({ connectionString: harness.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  const { rows } = await database.query('select distinct state from handed_batches order by state');
  expect(rows).toEqual([{ state: 'over' }, { state: 'refused' }]);
  expect((await database.query('select 1 from handed_lines')).rowCount).toBe(0);
  await database.end();
  await harness.close();
});

async function clientOf(name: string, amount?: string): Promise<OpenAI> {
  const { key } = await harness.account(amount);
  keys.set(name, key);
  const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  clients.set(name, client);
  return client;
}

const names = Array.from({ length: LINES }, (_, index) => `line-${index}`);
const messages = [{ role: 'user' as const, content: 'Say hello.' }];
type Endpoint = '/v1/chat/completions' | '/v1/embeddings' | '/v1/responses';

async function start(client: OpenAI, bodies: Readonly<Record<string, Json>>, endpoint: Endpoint) {
  const lines = Object.entries(bodies).map(([custom_id, body]) =>
    JSON.stringify({ custom_id, method: 'POST', url: endpoint, body }),
  );
  const content = await toFile(Buffer.from(lines.join('\n')), 'in.jsonl');
  const file = await client.files.create({ purpose: 'batch', file: content });
  return client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
}

const all = (model: string): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [name, { model, messages, max_tokens: 50 }]));

const ended = (client: OpenAI, id: string) =>
  vi.waitFor(async () => {
    const batch = await client.batches.retrieve(id);
    expect(['completed', 'failed', 'cancelled', 'expired']).toContain(batch.status);
    return batch;
  }, PATIENCE);

async function resultsOf(client: OpenAI, fileId: string | null | undefined): Promise<Json[]> {
  if (fileId === null || fileId === undefined) return [];
  const text = (await (await client.files.content(fileId)).text()).trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Json);
}

const spent = (name: string): Promise<number> => harness.spent(keys.get(name) ?? '');

const asked = (base: Base, path: string): number => {
  const [, commands] = BASES[base].split(' ');
  return harness.simulator.requests.filter(
    (request) =>
      request.method === 'POST' &&
      request.path === `/sim-${commands}/v1${path}` &&
      [request.headers.authorization, request.headers['x-api-key']].some((value) => String(value).endsWith(base)),
  ).length;
};

async function run(base: Base, bodies = all(`acme/${base}`), endpoint: Endpoint = '/v1/chat/completions') {
  const client = clients.get(base) ?? (await clientOf(base));
  const done = await ended(client, (await start(client, bodies, endpoint)).id);
  return { done, results: await resultsOf(client, done.output_file_id), client };
}

/** Every line has its answer, in the order of the file, at the price of the provider's batches. */
async function isCheap(base: Base): Promise<void> {
  const { done, results } = await run(base);
  expect(done.request_counts, base).toEqual({ total: LINES, completed: LINES, failed: 0 });
  expect(results.map(({ custom_id }) => custom_id)).toEqual(names);
  expect(results[0], base).toMatchObject({ response: { status_code: 200, body: { usage: { cost: CHEAP } } } });
  expect(await spent(base), base).toBeCloseTo(LINES * CHEAP, 12);
  expect(asked(base, '/chat/completions')).toBe(0);
  // An order whose answer was lost is found again, and not given twice.
  expect(asked(base, '/batches'), base).toBe(1);
}

test.concurrent(
  'lines at the price of the provider’s batches, whatever fails on the way, and those that fail apart',
  LIMIT,
  async () => {
    const both = async (): Promise<void> => {
      const bodies = { ...all('acme/plain'), wrong: { model: 'acme/wrong', messages, max_tokens: 50 } };
      const { done, client, results } = await run('plain', bodies);
      expect(done.request_counts).toEqual({ total: LINES + 1, completed: LINES, failed: 1 });
      expect(results.map(({ custom_id }) => custom_id)).toEqual(names);
      // One order for each model.
      const handed = (lines: number, model: string) => ({
        ...{ provider: 'plain', model, lines, status: 'completed' },
        pricing: { prompt: '0.5', completion: '1' },
      });
      expect((done as unknown as Json).handed).toEqual([handed(LINES, 'acme/plain'), handed(1, 'acme/wrong')]);
      const [failure] = await resultsOf(client, done.error_file_id);
      expect(failure).toMatchObject({ custom_id: 'wrong', response: { status_code: 400 } });
      expect(await spent('plain')).toBeCloseTo(LINES * CHEAP, 12);
      // One for each model, and no call beside them.
      expect(asked('plain', '/batches')).toBe(2);
      expect(asked('plain', '/chat/completions')).toBe(0);
    };
    harness.simulator.script('reset', { path: 'sim-tokens-1-1/v1/batches' });
    harness.simulator.script('html', { path: 'sim-tokens-1-2/v1/batches' });
    harness.simulator.script('short-body', { path: 'sim-tokens-1-3/v1/files/batch' });
    await Promise.all([both(), isCheap('busy'), isCheap('lossy'), isCheap('garbled'), isCheap('short')]);
  },
);

test.concurrent(
  'Anthropic’s interface for batches of Messages and for chat lines; vectors and Responses at the other',
  LIMIT,
  async () => {
    const client = await clientOf('claude');
    const anthropic = new Anthropic({ apiKey: keys.get('claude') ?? '', baseURL: harness.url, maxRetries: 0 });
    const requests = names.map((custom_id) => ({
      custom_id,
      params: { model: 'acme/claude', max_tokens: 50, messages },
    }));
    const ofMessages = async (): Promise<void> => {
      const { id } = await anthropic.messages.batches.create({ requests });
      await vi.waitFor(async () => {
        expect((await anthropic.messages.batches.retrieve(id)).processing_status).toBe('ended');
      }, PATIENCE);
      const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
      for await (const result of await anthropic.messages.batches.results(id)) results.push(result);
      expect(results.map(({ custom_id }) => custom_id)).toEqual(names);
      expect(results[0]?.result).toMatchObject({ type: 'succeeded', message: { model: 'acme/claude' } });
    };
    const others = await clientOf('others');
    const embed = await start(others, { a: { model: 'acme/embed', input: 'tide' } }, '/v1/embeddings');
    const respond = await start(
      others,
      { a: { model: 'acme/others', input: 'Hi', max_output_tokens: 50 } },
      '/v1/responses',
    );
    const [, chat, made, responded] = await Promise.all([
      ofMessages(),
      run('claude'),
      ended(others, embed.id),
      ended(others, respond.id),
    ]);
    expect(chat.results[0]).toMatchObject({
      response: { body: { object: 'chat.completion', usage: { cost: CHEAP } } },
    });
    expect(await spent('claude')).toBeCloseTo(2 * LINES * CHEAP, 12);
    expect(asked('claude', '/messages/batches')).toBe(2);
    expect(asked('claude', '/messages')).toBe(0);
    expect(made.request_counts).toMatchObject({ completed: 1 });
    expect((await resultsOf(others, responded.output_file_id))[0]).toMatchObject({
      response: { body: { object: 'response' } },
    });
    expect(asked('others', '/batches')).toBe(2);
    expect(asked('others', '/embeddings') + asked('others', '/responses')).toBe(0);
    expect(client).toBe(chat.client);
  },
);

test.concurrent(
  'run here: what has no such price, a job, what the provider refuses, what cannot be paid for all at once',
  LIMIT,
  async () => {
    const dear = async (): Promise<void> => {
      const client = await clientOf('dear');
      const done = await ended(client, (await start(client, all('acme/unpriced'), '/v1/chat/completions')).id);
      expect(done.request_counts).toMatchObject({ completed: LINES });
      const body = { model: 'acme/dear', messages, max_tokens: 50 };
      const job = { key: keys.get('dear') ?? '', body, headers: { Prefer: 'respond-async' } };
      expect((await harness.request('POST', '/v1/chat/completions', job)).status).toBe(202);
      await vi.waitFor(async () => expect(await spent('dear')).toBeCloseTo((LINES + 1) * COST, 12), PATIENCE);
    };
    const refusing = async (): Promise<void> => {
      harness.simulator.script('status-400', { path: 'sim-tokens-1-4/v1/files' });
      const { done } = await run('refusing');
      expect(done.request_counts).toMatchObject({ completed: LINES });
      expect((done as unknown as Json).handed).toEqual([]);
      expect(await spent('refusing')).toBeCloseTo(LINES * COST, 12);
      expect(asked('refusing', '/chat/completions')).toBe(LINES);
    };
    // Nothing in the body of such a line says that it searches, and by the body its answer would be charged.
    const online = async (): Promise<void> => {
      const { done } = await run('online', all('acme/online:online'));
      expect(done.request_counts).toMatchObject({ completed: LINES });
      expect(asked('online', '/batches')).toBe(0);
      expect(asked('online', '/chat/completions')).toBe(LINES);
    };
    await Promise.all([dear(), refusing(), online()]);
    await clientOf('poor', '0.0003');
    const { done } = await run('poor');
    const { completed = 0, failed = 0 } = done.request_counts ?? {};
    expect(completed + failed).toBe(LINES);
    expect(completed).toBeGreaterThan(0);
    expect(await spent('poor')).toBeLessThanOrEqual(0.0003);
  },
);

test.concurrent.each([
  ['of an account', '0.61', null],
  ['under the limit of a key', '100', 0.61],
])(
  'documents that only the provider can measure leave half of the money %s to other lines and to calls',
  LIMIT,
  async (_, creditUsd, limit) => {
    // Each of them may cost 60 cents in the provider's batches, and costs less than a cent.
    const { userId, key } = await harness.account(creditUsd);
    const own = { name: 'management', keyType: 'management' };
    const made = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, own);
    const limited = { key: String(made.key), body: { name: 'limited', limit } };
    const capped = limit === null ? key : String((await harness.request('POST', '/v1/keys', limited)).body.key);
    const client = new OpenAI({ apiKey: capped, baseURL: `${harness.url}/v1`, maxRetries: 0 });
    const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n').toString('base64')}`;
    const content = [{ type: 'file', file: { filename: 'a.pdf', file_data: pdf } }];
    const body = { model: 'acme/papers', messages: [{ role: 'user', content }], max_tokens: 50 };
    const bodies = Object.fromEntries(names.map((name) => [name, body]));
    const done = await ended(client, (await start(client, bodies, '/v1/chat/completions')).id);
    expect(done.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
    expect(asked('papers', '/batches')).toBe(0);
  },
);

test.concurrent(
  'BILL-08 a process that is cut off while it gives lines back leaves no money held for those that are left',
  LIMIT,
  async () => {
    // The sequence counts on when the statement is undone, so only the first one fails.
    await database.query(`
      create sequence failures;
      create function fail_once() returns trigger language plpgsql as $$
      begin if nextval('failures') = 1 then raise 'cut off'; end if; return old; end $$;
      create trigger fail_once before delete on handed_lines for each row
      when (old.model_id = 'acme/halted' and old.line_no = 3) execute function fail_once();`);
    harness.simulator.script('status-400', { path: 'sim-tokens-2-1/v1/files' });
    const client = await clientOf('halted');
    const { id } = await start(client, all('acme/halted'), '/v1/chat/completions');
    const isCutOff = async (): Promise<void> =>
      expect((await database.query('select 1 from failures where is_called')).rowCount).toBe(1);
    await vi.waitFor(isCutOff, PATIENCE);
    // The claim of the process runs out.
    await database.query("update handed_batches set due_at = now() where batch_id = $1 and state = 'refused'", [id]);
    expect((await ended(client, id)).request_counts).toMatchObject({ completed: LINES });
    expect(await spent('halted')).toBeCloseTo(LINES * COST, 12);
  },
);

test.concurrent(
  'BILL-08 a line whose answer cannot be charged is run again, and what was held for it is given back',
  LIMIT,
  async () => {
    const { key, userId } = await harness.account();
    keys.set('unsettled', key);
    clients.set('unsettled', new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 }));
    await database.query(`
      create sequence refusals;
      create function refuse_once() returns trigger language plpgsql as $$
      begin if nextval('refusals') = 1 then raise 'not now'; end if; return new; end $$;
      create trigger refuse_once before update on reservations for each row
      when (new.state = 'settled' and new.user_id = '${userId}') execute function refuse_once();`);
    const { done } = await run('unsettled');
    expect(done.request_counts).toMatchObject({ completed: LINES });
    expect(await spent('unsettled')).toBeCloseTo(LINES * CHEAP, 12);
    const held = "select 1 from reservations where user_id = $1 and state = 'held'";
    expect((await database.query(held, [userId])).rowCount).toBe(0);
  },
);

test.concurrent(
  'BILL-08 a line that was charged before its process died is not handed over, so that nothing more is held for it',
  LIMIT,
  async () => {
    const client = await clientOf('charged');
    const key = keys.get('charged') ?? '';
    const answer = await harness.chat(key, { model: 'acme/charged' });
    const generationId = String(answer.headers.get('x-generation-id'));
    // As a process leaves it that is killed after the charge and before the answer is kept.
    await database.query(`
      create function name_line() returns trigger language plpgsql as $$
      begin new.generation_id := '${generationId}'; new.called_at := now(); new.state := 'running'; return new; end $$;
      create trigger name_line before insert on batch_lines for each row when (new.custom_id = 'charged')
      execute function name_line();`);
    const body = { model: 'acme/charged', messages, max_tokens: 50 };
    const done = await ended(client, (await start(client, { charged: body }, '/v1/chat/completions')).id);
    expect(done.request_counts).toMatchObject({ completed: 1 });
    expect(asked('charged', '/batches')).toBe(0);
    expect(await spent('charged')).toBeCloseTo(COST, 12);
  },
);

test.concurrent(
  'a batch that is cancelled is cancelled there; a key that is revoked meanwhile pays for what it has ordered',
  LIMIT,
  async () => {
    const begin = async (base: Base): Promise<string> => {
      const { id } = await start(await clientOf(base), all(`acme/${base}`), '/v1/chat/completions');
      await vi.waitFor(() => expect(asked(base, '/batches')).toBe(1), PATIENCE);
      return id;
    };
    const cancelling = async (): Promise<void> => {
      const id = await begin('cancelled');
      const client = clients.get('cancelled') as OpenAI;
      await client.batches.cancel(id);
      const done = await ended(client, id);
      expect(done.status).toBe('cancelled');
      expect(await spent('cancelled')).toBeCloseTo((done.request_counts?.completed ?? 0) * CHEAP, 12);
    };
    const revoking = async (): Promise<void> => {
      const { rows } = await database.query<{ key_id: string; account_id: string }>(
        'select key_id, account_id from batches where id = $1',
        [await begin('revoked')],
      );
      await database.query('update api_keys set revoked_at = now() where id = $1', [rows[0]?.key_id]);
      const charges = "select 1 from journal_entries where kind = 'charge' and debit_account_id = $1";
      await vi.waitFor(async () => {
        expect((await database.query(charges, [rows[0]?.account_id])).rowCount).toBe(LINES);
      }, PATIENCE);
    };
    await Promise.all([cancelling(), revoking()]);
  },
);
