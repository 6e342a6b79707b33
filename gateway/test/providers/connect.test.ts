// From a fresh start to an answer of a vendor at the right price, with one command; errors on the way are explained and
// change nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';
import { GOOD_KEY, type StandIn, startBook, startStandIn, USAGE } from './stand-ins.ts';

let harness: Harness;
let book: Awaited<ReturnType<typeof startBook>>;
const standIns = new Map<string, StandIn>();
const NAMES = ['openai', 'anthropic', 'google', 'openrouter'];
const CONFIG = '/admin/v1/config';
let fresh: number;

beforeAll(async () => {
  book = await startBook();
  for (const name of NAMES) standIns.set(name, await startStandIn(name));
  harness = await startHarness({
    // The document of a first start: a provider of the same name that the simulator answers for.
    document: {
      providers: {
        openai: { protocol: 'openai', base_url: `$\{SIMULATOR_URL}`, api_key: 'simulated' },
      },
      models: {
        'openai/gpt-4o-mini': {
          ...{ description: 'Small.', max_completion_tokens: 16_384 },
          pricing: { prompt: '9', completion: '9', cache_write: '9' },
          pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.00009', completion: '0.00009' }],
          routes: [{ provider: 'openai', upstream_model: 'gpt-4o-mini' }],
        },
        'openai/o9': {
          pricing: { prompt: '1', completion: '1' },
          routes: [{ provider: 'openai', upstream_model: 'o9' }],
        },
      },
      auto: { paid: { simple: { models: ['openai/o9'] } } },
    },
    start: { variables: { SIMULATOR_URL: 'http://127.0.0.1:9/v1' } },
    env: { TOLLGATE_PRICES_URL: book.url },
  });
  fresh = await revision();
});

afterAll(async () => {
  await harness.close();
  await book.close();
  for (const standIn of standIns.values()) await standIn.close();
});

beforeEach(async () => {
  await harness.operate('POST', `${CONFIG}/revisions/${fresh}/restore`, {});
});

const standIn = (name: string): StandIn => standIns.get(name) as StandIn;
const config = (): Promise<Json> => harness.operate('GET', CONFIG);
const revision = async (): Promise<number> => {
  const { data } = await harness.operate('GET', `${CONFIG}/revisions?limit=1`);
  return Number((data as Json[])[0]?.revision);
};

async function tollgate(...parameters: string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const environment = {
    ...{ TOLLGATE_URL: harness.url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN },
    ...{ GOOD: GOOD_KEY, BAD: 'sk-wrong', OPENAI_API_KEY: GOOD_KEY },
  };
  const terminal = { print: (text: string) => printed.push(text), printError: (text: string) => complained.push(text) };
  const code = await runCli({ commands: allCommands, parameters, environment, terminal });
  const text = printed.join('\n');
  return {
    code,
    text,
    complained: complained.join('\n'),
    json: text.startsWith('{') ? (JSON.parse(text) as Json) : {},
  };
}

const add = (name: string, ...more: string[]) =>
  tollgate('provider', 'add', name, '--base-url', standIn(name).url, '--key-env', 'GOOD', '--yes', ...more);

describe('one command, one answer, the right price', () => {
  test.each([
    { name: 'openai', upstream: 'gpt-4o-mini', id: 'openai/gpt-4o-mini', prompt: 0.15, completion: 0.6 },
    {
      ...{ name: 'anthropic', upstream: 'claude-sonnet-4-5-20250929', id: 'anthropic/claude-sonnet-4-5-20250929' },
      ...{ prompt: 3, completion: 15 },
    },
    { name: 'google', upstream: 'gemini-2.5-flash', id: 'google/gemini-2.5-flash', prompt: 0.3, completion: 2.5 },
    { name: 'openrouter', upstream: 'acme/thinker-9', id: 'acme/thinker-9', prompt: 0.4, completion: 1.6 },
  ])('$name', async ({ name, upstream, id, prompt, completion }) => {
    const added = await add(name, '--models', upstream, '--json');
    expect(added, added.complained).toMatchObject({ code: 0, json: { applied: true, provider: name } });
    expect(added.json.removals).toEqual([]);
    expect(added.text + added.complained).not.toContain(GOOD_KEY);
    const { key } = await harness.account();
    const answer = await harness.chat(key, { model: id });
    expect(answer, answer.text).toMatchObject({ status: 200 });
    const cost = (USAGE.prompt * prompt + USAGE.completion * completion) / 1_000_000;
    expect((answer.body.usage as Json).cost).toBeCloseTo(cost, 12);
    expect(await harness.spent(key)).toBeCloseTo(cost, 12);
  });

  test.each(['ollama', 'vllm', 'lmstudio', 'llamacpp', 'litellm'])(
    'A13 %s, which runs beside the gateway, is not led to addresses of callers',
    async (preset) => {
      const address = ['--base-url', standIn('openai').url, '--key-env', 'GOOD'];
      const added = await tollgate('provider', 'add', preset, ...address, '--models', 'gpt-4o-mini', '--yes');
      expect(added, added.complained).toMatchObject({ code: 0 });
      const provider = ((await config()).providers as Json)[preset];
      // A proxy passes the caller's own name for the limit on.
      const limit = preset === 'litellm' ? {} : { output_limit: 'max_tokens' };
      expect(provider).toMatchObject({ pictures: 'data', ...limit });
    },
  );

  test('what the simulator answers moves aside, nothing is lost, and the rest is told', async () => {
    const { text, complained } = await add('openai', '--all');
    expect(complained).toBe('');
    expect(text).toContain('openai is connected with 3 of 5 models');
    expect(text).toContain('their price is not known: openai/brand-new-model');
    expect(text).toContain('1 other models are still answered by the simulator');
    const { models, providers } = await config();
    expect(providers).toMatchObject({ openai: { preset: 'openai', data_collection: 'deny' }, 'openai-simulated': {} });
    expect(models).toMatchObject({
      'openai/o9': { routes: [{ provider: 'openai-simulated' }] },
      'openai/gpt-4o-mini': { pricing: { prompt: '0.15' }, price_source: 'book', routes: [{ provider: 'openai' }] },
      'openai/text-embedding-3-small': { pricing: { prompt: '0.02' }, output_modalities: ['embeddings'] },
    });
    expect(models).not.toHaveProperty(['openai/gpt-4o-realtime-preview']);
    const list = await tollgate('provider', 'list');
    expect(list.text).toMatch(/openai +OpenAI +openai +http:\S+ +stored +3/);
    expect(list.text).toMatch(/openai-simulated +simulator/);
  });

  test('nobody has to say yes to it, since nothing is taken away', async () => {
    const where = ['--base-url', standIn('openai').url, '--key-env', 'GOOD'];
    const added = await tollgate('provider', 'add', 'openai', ...where, '--models', 'gpt-4o-mini', '--json');
    expect(added, added.complained).toMatchObject({ code: 0, json: { applied: true, removals: [] } });
    const models = (await config()).models as Record<string, Json>;
    expect(models['openai/gpt-4o-mini']).toMatchObject({ description: 'Small.', max_completion_tokens: 16_384 });
    expect(models['openai/gpt-4o-mini']).not.toHaveProperty('pricing_tiers');
    expect(models['openai/gpt-4o-mini']?.pricing).not.toHaveProperty('cache_write');
  });

  test('said again it changes nothing; with another key the key is another', async () => {
    await add('openai', '--all');
    const before = await revision();
    expect((await add('openai', '--all')).text).toContain('nothing differs');
    expect(await revision()).toBe(before);
    const body = {
      preset: 'openai',
      baseUrl: standIn('openai').url,
      apiKey: 'sk-wrong',
      models: ['gpt-4o'],
      test: false,
    };
    const refused = await harness.request('POST', '/admin/v1/providers', { key: ADMIN_TOKEN, body });
    expect(refused.status).toBe(400);
    expect(await revision()).toBe(before);
  });

  test('a dry run and a model without a price', async () => {
    const trial = await add('openai', '--models', 'brand-new-model', '--dry-run');
    expect(trial.text).toContain('Nothing was changed');
    expect(await revision()).toBe(await revision());
    const { text } = await add('openai', '--models', 'brand-new-model');
    expect(text).toContain('Calls are refused until these have a price: openai/brand-new-model');
    const { key } = await harness.account();
    const answer = await harness.chat(key, { model: 'openai/brand-new-model' });
    expect(answer.body).toMatchObject({ error: { code: 'model_not_priced' } });
  });
});

describe('what goes wrong is said in words and changes nothing', () => {
  const unchanged = async (run: () => Promise<{ code: number; complained: string }>, words: RegExp): Promise<void> => {
    const before = await config();
    const { code, complained } = await run();
    expect({ code, complained }).toEqual({ code: 1, complained: expect.stringMatching(words) });
    expect(complained).not.toContain(GOOD_KEY);
    expect(complained).not.toContain('sk-wr');
    expect(await config()).toEqual(before);
  };

  test.each(NAMES)('a wrong key at %s', (name) =>
    unchanged(
      () => tollgate('provider', 'add', name, '--base-url', standIn(name).url, '--key-env', 'BAD', '--all', '--yes'),
      /did not pass its test \(key\). The vendor refused the key/,
    ),
  );

  test('no network', () =>
    unchanged(
      () => tollgate('provider', 'add', 'openai', '--base-url', 'http://127.0.0.1:9/v1', '--all', '--yes'),
      /\(network\). http:\/\/127.0.0.1:9 cannot be reached/,
    ));

  test.each([
    [
      429,
      { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
      /\(quota\).*no quota or credit/,
    ],
    [403, { error: { code: 'unsupported_country_region_territory' } }, /\(region\).*does not serve this region/],
    [404, { error: { code: 'model_not_found' } }, /\(model\).*does not know the model/],
    [500, {}, /\(vendor\).*failed to answer/],
  ])('a key that is taken and a call that is not: %i', async (status, body, words) => {
    standIn('openai').refusal = { status, body };
    try {
      await unchanged(() => add('openai', '--all'), words);
    } finally {
      standIn('openai').refusal = null;
    }
  });

  test('a model that nobody offers, a preset that is none, a key that is not there', async () => {
    await unchanged(() => add('openai', '--models', 'gpt-4o-min'), /offers no model "gpt-4o-min"/);
    await unchanged(() => tollgate('provider', 'add', 'opennai'), /Did you mean openai\?/);
    await unchanged(() => tollgate('provider', 'add', 'groq'), /set GROQ_API_KEY, or name a variable with --key-env/);
    await unchanged(() => tollgate('provider', 'add', 'azure', '--key-env', 'GOOD'), /also needs resource/);
  });

  test('an address that is no API', () =>
    unchanged(
      () => tollgate('provider', 'add', 'openai', '--base-url', `${harness.url}/console`, '--all', '--yes'),
      /\((?:request|key)\)/,
    ));
});

test('CAT-20 BILL-11 a list with prices of long prompts, of pictures and of sound is sold by them', async () => {
  const vendor = standIn('openrouter');
  const before = vendor.models;
  const plain = { prompt: '0.0000003', completion: '0.0000025' };
  vendor.models = [
    {
      id: 'google/gemini-2.5-pro',
      pricing: { ...plain, overrides: [{ min_prompt_tokens: 200_000, prompt: '0.0000006', completion: '0.000005' }] },
    },
    { id: 'google/gemini-2.5-flash-image', pricing: { ...plain, image_output: '0.00003' } },
    { id: 'google/gemini-2.5-flash', pricing: { ...plain, audio: '0.000001' } },
    { id: 'acme/flux-9', pricing: { prompt: '0', completion: '0' } },
    { id: 'acme/thinker-9:free', pricing: { prompt: '0', completion: '0' } },
  ];
  try {
    const { text, complained } = await add('openrouter', '--all');
    expect(complained).toBe('');
    expect(text).toContain('their price is not known: acme/flux-9');
    const { models } = await config();
    expect(models).toMatchObject({
      'google/gemini-2.5-pro': {
        pricing: { prompt: '0.3', completion: '2.5' },
        pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.0000006', completion: '0.000005' }],
      },
      'google/gemini-2.5-flash-image': { pricing: { prompt: '0.3', completion: '30' } },
      'google/gemini-2.5-flash': { pricing: { prompt: '0.3' }, input_modalities: ['text', 'image', 'file', 'video'] },
      'acme/thinker-9-free': { pricing: { prompt: '0', completion: '0' } },
    });
    expect(models).not.toHaveProperty(['acme/flux-9']);
  } finally {
    vendor.models = before;
  }
});

test('of four hundred models only those are taken that were asked for, or all that have a price', async () => {
  const vendor = standIn('openrouter');
  const many = Array.from({ length: 400 }, (_, index) => ({
    ...{ id: `acme/m-${index}`, pricing: { prompt: '0.000001', completion: '0.000002' } },
  }));
  const before = vendor.models;
  vendor.models = many;
  try {
    const none = await add('openrouter');
    expect(none.text).toContain('connected with 0 of 400 models');
    expect(none.text).toContain('say --models NAMES or --all');
    expect((await add('openrouter', '--all', '--json')).json.models).toHaveLength(400);
  } finally {
    vendor.models = before;
  }
});

test('provider test tells of a model that is gone and of a key that is refused', async () => {
  await add('openai', '--all');
  const good = await tollgate('provider', 'test', 'openai');
  expect(good).toMatchObject({ code: 0, text: expect.stringContaining('takes the key and lists 5 models') });
  const vendor = standIn('openai');
  const before = vendor.models;
  vendor.models = before.filter((model) => (model as { id: string }).id !== 'gpt-4o');
  try {
    const gone = await tollgate('provider', 'test', 'openai', '--json');
    expect(gone).toMatchObject({ code: 1, json: { ok: false, gone: ['openai/gpt-4o'] } });
  } finally {
    vendor.models = before;
  }
  expect((await tollgate('provider', 'test', 'nobody')).code).toBe(1);
});

describe('prices', () => {
  test('show tells the vendor and what it costs here, and who changed it', async () => {
    await add('openai', '--models', 'gpt-4o-mini');
    const { text } = await tollgate('prices', 'show', 'gpt-4o-mini');
    expect(text).toMatch(/here +openai\/gpt-4o-mini +0\.15 +0\.6 .*operator, .*revision \d+/);
    expect(text).toMatch(/\nopenai +gpt-4o-mini +0\.15 +0\.6 +0\.075/);
    expect((await tollgate('prices', 'show', 'nothing-of-the-kind')).code).toBe(1);
  });

  test('a price that tripled is told loudly, applied only when told, and the past keeps its price', async () => {
    await add('openai', '--models', 'gpt-4o-mini');
    const { key } = await harness.account();
    await harness.chat(key, { model: 'openai/gpt-4o-mini' });
    const spentBefore = await harness.spent(key);
    book.factor = 3;
    const shown = await tollgate('prices', 'update');
    expect(shown.text).toContain('! openai/gpt-4o-mini: prompt 0.15 -> 0.45 USD per million tokens, 3.0 times as much');
    expect(shown.text).toContain('Nothing was changed. --yes applies this.');
    expect((await tollgate('prices', 'update', '--yes')).text).toContain('Applied as revision');
    expect((await config()).models).toMatchObject({ 'openai/gpt-4o-mini': { pricing: { prompt: '0.45' } } });
    expect(await harness.spent(key)).toBe(spentBefore);
    const answer = await harness.chat(key, { model: 'openai/gpt-4o-mini' });
    expect((answer.body.usage as Json).cost).toBeCloseTo((1_000 * 0.45 + 500 * 1.8) / 1_000_000, 12);
    book.factor = 1;
  });

  test('without a network, or with nonsense in its place, the prices at hand are used', async () => {
    book.isBroken = true;
    const { code, text } = await tollgate('prices', 'update');
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('no price book') });
    book.isBroken = false;
  });

  test('what somebody typed is told and left alone', async () => {
    await add('openai', '--models', 'gpt-4o');
    const live = await config();
    const models = live.models as Record<string, Json>;
    const { price_source: _, ...typed } = models['openai/gpt-4o'] ?? {};
    const pricing = { prompt: '2', completion: '8' };
    await harness.operate('PUT', CONFIG, { ...live, models: { ...models, 'openai/gpt-4o': { ...typed, pricing } } });
    const { text } = await tollgate('prices', 'update', '--yes');
    expect(text).toContain('typed, and left alone: openai/gpt-4o: prompt 2 here, 2.5 in the price book');
    expect((await config()).models).toMatchObject({ 'openai/gpt-4o': { pricing } });
  });
});
