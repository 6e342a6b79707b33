// Only the database counts: a file is applied once, operators' edits survive restarts, every process follows, and no
// API key is in the database unencrypted.

import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigDocument } from '../../src/contract/config.ts';
import { type Catalog, createCatalog } from '../../src/modules/catalog/catalog.ts';
import { ConfigDocumentError } from '../../src/modules/catalog/config-problem.ts';
import type { ConfigSource } from '../../src/modules/catalog/config-source.ts';
import { parseDocumentText } from '../../src/modules/catalog/parse-document.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { deriveKey } from '../../src/platform/crypto.ts';
import type { Database, Notices } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { SAMPLE } from './sample-catalog.ts';

type Process = Readonly<{ catalog: Catalog; database: Database; notices: Notices; stop(): Promise<void> }>;
type ProcessOptions = Readonly<{ secret?: string; simulatorUrl?: string; clock?: Clock; isDeaf?: boolean }>;

let fresh: FreshDatabase;
let running: Process[] = [];

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(async () => {
  await Promise.all(running.map((process) => process.stop()));
  running = [];
  await fresh.drop();
});

/** The parts of one gateway process. A deaf one loses every notice. */
async function startProcess(options: ProcessOptions = {}): Promise<Process> {
  const database = openDatabase(fresh.url, silentLogger);
  const notices = await openNotices(fresh.url, silentLogger);
  const deaf: Notices = { ...notices, publish: notices.publish.bind(notices), subscribe() {}, onGap() {} };
  const catalog = await createCatalog({
    database,
    notices: options.isDeaf === true ? deaf : notices,
    sealingKey: deriveKey(options.secret ?? 'root secret', 'catalog'),
    digestKey: deriveKey(options.secret ?? 'root secret', 'digest'),
    clock: options.clock ?? systemClock,
    logger: silentLogger,
    lateVariables: { SIMULATOR_URL: options.simulatorUrl ?? 'http://127.0.0.1:9/v1' },
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await catalog.close();
    await notices.close();
    await database.close();
  };
  const started = { catalog, database, notices, stop };
  running.push(started);
  return started;
}

const file = (text: string): ConfigSource => ({
  name: 'tollgate.yaml',
  document: parseDocumentText(text),
  isBuiltIn: false,
});
const builtIn = (text: string): ConfigSource => ({
  name: 'built-in',
  document: parseDocumentText(text),
  isBuiltIn: true,
});
const idsOf = (catalog: Catalog): string[] => catalog.current().models.map((model) => model.id);

async function storedText(): Promise<string> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    const { rows } = await client.query('select document::text as document, source, file_digest from config_revisions');
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}

const eventually = (check: () => boolean) => expect.poll(check).toBe(true);

const EMPTY_PRICES = 'pricing: { prompt: 1, completion: 1 }';

describe('a file', () => {
  test('is applied when it is new, and its difference is told', async () => {
    const { catalog } = await startProcess();
    expect(idsOf(catalog)).toEqual([]);
    const first = await catalog.applyFile(file(SAMPLE), {});
    expect(first.isApplied).toBe(true);
    expect(first.changes.slice(0, 4)).toEqual([
      '+ provider openai',
      '+ provider anthropic',
      '+ provider other',
      '+ model openai/gpt-x',
    ]);
    expect(idsOf(catalog).slice(0, 3)).toEqual([
      'openai/gpt-x',
      'openai/gpt-x:extended',
      'anthropic/claude-sonnet-4.5',
    ]);

    const second = await catalog.applyFile(file(SAMPLE.replace('prompt: "0.15"', 'prompt: "0.2"')), {});
    expect(second.changes).toEqual(['~ model openai/gpt-x: pricing.prompt 0.15 -> 0.2']);
  });

  test('that is not news leaves what operators changed, also after a restart', async () => {
    const before = await startProcess();
    await before.catalog.applyFile(file(SAMPLE), {});
    await before.catalog.editDocument((live) => ({ ...live, default_provider: 'anthropic' }));
    await before.stop();

    const { catalog } = await startProcess();
    expect(await catalog.applyFile(file(`# only a comment is new\n${SAMPLE}`), {})).toMatchObject({
      isApplied: false,
      changes: [],
    });
    expect(catalog.current().wildcards.fallback?.name).toBe('anthropic');
    expect((await catalog.applyFile(file(SAMPLE.replace('GPT X', 'GPT Y')), {})).changes).toEqual([
      '~ model openai/gpt-x: name GPT X -> GPT Y',
      '~ default_provider anthropic -> other',
    ]);
  });

  test('that another one had replaced is live again when a process starts with it, and its revision says so', async () => {
    const [old, young] = [await startProcess(), await startProcess()];
    const next = SAMPLE.replace('prompt: "0.15"', 'prompt: "0.2"');
    expect(await old.catalog.applyFile(file(SAMPLE), {})).toMatchObject({ isFormer: false });
    expect(await young.catalog.applyFile(file(next), {})).toMatchObject({ isFormer: false });
    const again = await old.catalog.applyFile(file(SAMPLE), {});
    expect(again).toMatchObject({ isApplied: true, isFormer: true });
    const [latest, before] = await young.catalog.listRevisions({ before: null, limit: 2 });
    expect(latest).toMatchObject({ revision: again.revision, note: expect.stringMatching(/was live before/) });
    expect(before).toMatchObject({ note: null });
    const restored = await young.catalog.restoreRevision(before?.revision ?? 0n);
    expect(restored?.changes).toEqual(['~ model openai/gpt-x: pricing.prompt 0.15 -> 0.2']);
    // What an operator put back stays when the same process starts again.
    expect(await old.catalog.applyFile(file(SAMPLE), {})).toMatchObject({ isApplied: false });
  });

  test('is news when a variable in it has a new value', async () => {
    const { catalog } = await startProcess();
    const text = `providers: { p: { protocol: openai, base_url: http://h/v1, api_key: $\{KEY} } }`;
    await catalog.applyFile(file(text), { KEY: 'one' });
    expect((await catalog.applyFile(file(text), { KEY: 'one' })).isApplied).toBe(false);
    expect((await catalog.applyFile(file(text), { KEY: 'two' })).changes).toEqual(['~ provider p: api_key changed']);
    expect(catalog.current().providers.get('p')?.apiKey).toBe('two');
  });

  test('with a new value of a variable takes that value and leaves what operators changed', async () => {
    const text = `providers:
  plain: { protocol: openai, base_url: $\{HOST}/v1/, api_key: $\{PLAIN} }
  pooled: { protocol: openai, base_url: http://h/v1, api_keys: { main: $\{POOLED}, spare: fixed } }
  ours: { protocol: openai, base_url: http://h/v1, api_key: $\{OURS} }
default_provider: plain`;
    const values = { HOST: 'http://one', PLAIN: 'plain-1', POOLED: 'pooled-1', OURS: 'ours-1' };
    const { catalog } = await startProcess();
    await catalog.applyFile(file(text), values);
    const setByHand = (live: ConfigDocument) => ({ ...live.providers?.ours, api_key: 'set by hand' });
    await catalog.editDocument((live) => {
      const { api_key: key = '', ...plain } = live.providers?.plain ?? {};
      const pool = { ...plain, api_keys: { main: { key }, second: { key: 'added' } } };
      return {
        ...live,
        default_provider: 'ours',
        providers: { ...live.providers, plain: pool, ours: setByHand(live) },
      };
    });
    const keysOf = (name: string) => {
      const provider = catalog.current().providers.get(name);
      return (provider?.keys ?? [{ provider }]).map((key) => key.provider?.apiKey);
    };

    const all = { HOST: 'http://two', PLAIN: 'plain-2', POOLED: 'pooled-2', OURS: 'ours-2' };
    expect((await catalog.applyFile(file(text), all)).isApplied).toBe(true);
    for (const round of ['plain-2', 'plain-3', 'plain-4']) {
      await catalog.applyFile(file(text), { ...all, PLAIN: round });
      expect(keysOf('plain')).toEqual([round, 'added']);
      expect(keysOf('pooled')).toEqual(['pooled-2', 'fixed']);
      expect(keysOf('ours')).toEqual(['set by hand']);
      expect(catalog.current().providers.get('plain')?.baseUrl).toBe('http://two/v1');
      expect(catalog.current().wildcards.fallback?.name).toBe('ours');
      expect((await catalog.applyFile(file(text), { ...all, PLAIN: round })).isApplied).toBe(false);
    }
    // A running gateway takes new values the same way.
    const after = { ...all, PLAIN: 'plain-5' };
    await catalog.replaceSecrets(file(text), { ...all, PLAIN: 'plain-4' }, after);
    expect([keysOf('plain'), keysOf('ours')]).toEqual([['plain-5', 'added'], ['set by hand']]);
    await catalog.editDocument((live) => ({ ...live, default_provider: 'pooled' }));
    await catalog.applyFile(file(text), { ...after, POOLED: 'pooled-3' });
    expect(keysOf('pooled')).toEqual(['pooled-3', 'fixed']);
    expect(catalog.current().wildcards.fallback?.name).toBe('pooled');

    // Any other change of the file is applied as a whole.
    await catalog.applyFile(file(text.replace('fixed', 'other')), all);
    expect(keysOf('ours')).toEqual(['ours-2']);
    expect(catalog.current().wildcards.fallback?.name).toBe('plain');
  });

  test('with a mistake changes nothing', async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(file(SAMPLE), {});
    await expect(catalog.applyFile(file('modles: {}'), {})).rejects.toThrow(
      'modles: unknown key, did you mean "models"?',
    );
    expect(idsOf(catalog)).toContain('openai/gpt-x');
  });

  test('applied by processes that start together becomes one revision, live in each of them', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => startProcess({ isDeaf: true })));
    const changes = await Promise.all(processes.map(({ catalog }) => catalog.applyFile(file(SAMPLE), {})));
    expect(changes.filter((change) => change.isApplied)).toHaveLength(1);
    expect(JSON.parse(await storedText())).toHaveLength(1);
    for (const { catalog } of processes) expect(idsOf(catalog)).toContain('openai/gpt-x');
  });
});

describe('the built-in catalog', () => {
  const DEMO = `providers: { sim: { protocol: openai, base_url: $\{SIMULATOR_URL} } }\nmodels: { a/demo: { ${EMPTY_PRICES} } }`;

  test('follows the simulator to another port without undoing what operators changed', async () => {
    const first = await startProcess({ simulatorUrl: 'http://127.0.0.1:1001/v1' });
    await first.catalog.applyFile(builtIn(DEMO), {});
    expect(first.catalog.current().providers.get('sim')?.baseUrl).toBe('http://127.0.0.1:1001/v1');
    await first.catalog.editDocument((live) => ({ ...live, limits: { free_requests_per_minute: 7 } }));
    await first.stop();

    const second = await startProcess({ simulatorUrl: 'http://127.0.0.1:1002/v1' });
    expect((await second.catalog.applyFile(builtIn(DEMO), {})).isApplied).toBe(false);
    expect(second.catalog.current().providers.get('sim')?.baseUrl).toBe('http://127.0.0.1:1002/v1');
    expect(second.catalog.current().limits.freeRequestsPerMinute).toBe(7);
  });

  test("never replaces an operator's own", async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(file(SAMPLE), {});
    expect((await catalog.applyFile(builtIn(DEMO), {})).isApplied).toBe(false);
    expect(idsOf(catalog)).not.toContain('a/demo');
  });

  test('gives way to a file', async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(builtIn(DEMO), {});
    expect((await catalog.applyFile(file(SAMPLE), {})).changes).toContain('- model a/demo');
  });
});

describe('API keys', () => {
  test('are sealed in the database, masked when read, and clear only where calls need them', async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(file(`${SAMPLE}\nmoderation: { base_url: http://m, api_key: sk-moderation }`), {});
    const stored = await storedText();
    expect(stored).toContain('sealed:');
    for (const key of ['sk-openai', 'sk-ant', 'sk-moderation']) expect(stored).not.toContain(key);
    expect(JSON.stringify(catalog.liveDocument())).not.toContain('sk-');
    expect(catalog.liveDocument().providers?.openai?.api_key).toBe('********');
    expect(catalog.current().providers.get('openai')?.apiKey).toBe('sk-openai');
    expect(catalog.current().moderation).toEqual({ base_url: 'http://m', api_key: 'sk-moderation' });
  });

  test('that come back masked are kept; a mask without a key behind it is refused', async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(file(SAMPLE), {});
    const live = catalog.liveDocument();
    expect(await catalog.editDocument(() => live)).toMatchObject({ isApplied: false, changes: [] });
    await catalog.editDocument(() => ({ ...live, default_provider: 'openai' }));
    expect(catalog.current().providers.get('openai')?.apiKey).toBe('sk-openai');
    const renamed = { ...live.providers, stranger: { protocol: 'openai', base_url: 'http://h', api_key: '********' } };
    await expect(catalog.editDocument(() => ({ ...live, providers: renamed }))).rejects.toThrow(
      'providers.stranger.api_key: is the mask, but no key is stored',
    );
  });

  test('do not open with another secret, while the rest still works', async () => {
    const first = await startProcess();
    await first.catalog.applyFile(file(SAMPLE), {});
    await first.stop();
    const other = await startProcess({ secret: 'another secret' });
    expect(other.catalog.current().providers.get('openai')?.apiKey).toBe('');
    expect(idsOf(other.catalog)).toContain('openai/gpt-x');
    // The digest is keyed, so after a change of the secret the same file counts as new and brings the keys back.
    expect((await other.catalog.applyFile(file(SAMPLE), {})).changes).toEqual([
      '~ provider openai: api_key changed',
      '~ provider anthropic: api_key changed',
    ]);
    expect(other.catalog.current().providers.get('openai')?.apiKey).toBe('sk-openai');
  });
});

describe('several processes', () => {
  test('AUTO-06 a change in one is live in the others without a restart', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await first.catalog.applyFile(file(SAMPLE), {});
    await eventually(() => idsOf(second.catalog).includes('openai/gpt-x'));
    await second.catalog.editDocument((live) => ({
      ...live,
      auto: { paid: { simple: { models: ['openai/gpt-x'] } } },
    }));
    await eventually(() => first.catalog.current().auto.paid.get('simple') !== undefined);
  });

  test('one that lost a notice catches up by itself', async () => {
    const ticks: (() => void)[] = [];
    const every: Clock['every'] = (_intervalMs, run) => {
      ticks.push(run);
      return () => {};
    };
    const clock: Clock = { ...systemClock, every };
    const deaf = await startProcess({ isDeaf: true, clock });
    const { catalog } = await startProcess();
    await catalog.applyFile(file(SAMPLE), {});
    expect(idsOf(deaf.catalog)).toEqual([]);
    for (const tick of ticks) tick();
    await eventually(() => idsOf(deaf.catalog).includes('openai/gpt-x'));
  });

  test('edits at the same moment are all kept', async () => {
    const processes = [await startProcess(), await startProcess()];
    await processes[0]?.catalog.applyFile(file(SAMPLE), {});
    const tiers = ['simple', 'standard', 'complex', 'reasoning', 'coding', 'vision'] as const;
    await Promise.all(
      tiers.map((tier, index) =>
        processes[index % 2]?.catalog.editDocument((live) => ({
          ...live,
          auto: { ...live.auto, paid: { ...live.auto?.paid, [tier]: { models: ['openai/gpt-x'] } } },
        })),
      ),
    );
    const last = await startProcess();
    expect([...last.catalog.current().auto.paid.keys()].sort()).toEqual([...tiers].sort());
  });

  test('a snapshot in use stays what it was', async () => {
    const { catalog } = await startProcess();
    await catalog.applyFile(file(SAMPLE), {});
    const before = catalog.current();
    await catalog.applyFile(file(SAMPLE.replace('prompt: "0.15"', 'prompt: "9"')), {});
    const price = (from: typeof before) => {
      const model = from.byId.find('openai/gpt-x');
      return model === null || model === 'ambiguous' ? null : model.prices?.base.prompt;
    };
    expect(price(before)).toBe(150_000_000n);
    expect(price(catalog.current())).toBe(9_000_000_000n);
  });
});

describe('models are remembered', () => {
  test('CAT-19 a retired model that left the document is still retired, after a restart too', async () => {
    const first = await startProcess();
    await first.catalog.applyFile(file(`models: { a/old: { ${EMPTY_PRICES}, deprecation_date: 2025-01-31 } }`), {});
    await first.catalog.applyFile(file(`models: { a/new: { ${EMPTY_PRICES} } }`), {});
    await first.stop();
    const { catalog } = await startProcess();
    const ask = () => catalog.resolve('a/old', { allowBareName: false, nowMs: Date.parse('2026-01-01T00:00:00Z') });
    expect(ask).toThrow('has been retired');
  });

  test('a model keeps the day it was first seen, through changes and absence', async () => {
    const { catalog } = await startProcess();
    const createdAtMs = () => catalog.current().models[0]?.createdAtMs ?? 0;
    await catalog.applyFile(file(`models: { a/b: { ${EMPTY_PRICES} } }`), {});
    const first = createdAtMs();
    expect(Math.abs(first - Date.now())).toBeLessThan(60_000);
    await catalog.applyFile(file('models: {}'), {});
    await catalog.applyFile(file(`models: { a/b: { ${EMPTY_PRICES}, name: again } }`), {});
    expect(createdAtMs()).toBe(first);
  });
});

test('a document that refers to the environment is refused outside of files', async () => {
  const { catalog } = await startProcess();
  const provider = { protocol: 'openai', base_url: `http://h/$\{TOLLGATE_SECRET}` };
  await expect(catalog.editDocument(() => ({ providers: { p: provider } }))).rejects.toThrow(ConfigDocumentError);
  const keyed = { protocol: 'openai', base_url: 'http://h', api_key: `$\{KEY}` };
  await expect(catalog.editDocument(() => ({ providers: { p: keyed } }))).rejects.toThrow(
    'providers.p.api_key: names a variable',
  );
});
