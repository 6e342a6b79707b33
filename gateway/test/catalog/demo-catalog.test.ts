// Nobody reviews the catalog of a first start at run time, so it is checked here: it must load, cover every kind of
// model, and have no tier that is cheaper than its base.

import { describe, expect, test } from 'vitest';
import { AUTO_TIERS } from '../../src/contract/config.ts';
import { readConfigSource } from '../../src/modules/catalog/config-source.ts';
import { readFamilies } from '../../src/modules/catalog/families.ts';
import { resolve } from '../../src/modules/catalog/resolve.ts';
import { buildSnapshot, routesOf } from '../../src/modules/catalog/snapshot.ts';
import { documentOf } from './sample-catalog.ts';

const { document: written, isBuiltIn } = await readConfigSource(null);
const document = documentOf(written, { SIMULATOR_URL: 'http://127.0.0.1:4101/v1' });
const snapshot = buildSnapshot({ revision: 1n, document, history: [], families: readFamilies(), lateVariables: {} });

test('it is the built-in one, and its providers all point at the simulator', () => {
  expect(isBuiltIn).toBe(true);
  expect(new Set([...snapshot.providers.values()].map((provider) => provider.baseUrl))).toEqual(
    new Set(['http://127.0.0.1:4101/v1']),
  );
});

test('CAT-20 it spans text, images, video, audio, embeddings, rerank and moderation', () => {
  const modalities = new Set(snapshot.models.flatMap((model) => model.outputModalities));
  for (const modality of [
    'text',
    'image',
    'video',
    'speech',
    'transcription',
    'embeddings',
    'rerank',
    'moderation',
  ] as const) {
    expect(modalities).toContain(modality);
  }
  expect(snapshot.models.some((model) => model.free !== null)).toBe(true);
  expect(snapshot.models.some((model) => (model.prices?.tiers.length ?? 0) > 0)).toBe(true);
});

describe.each(snapshot.models)('$id', (model) => {
  test('can be called: it has a price and somebody to serve it', () => {
    expect(resolve(snapshot, model.id, { allowBareName: false, nowMs: 0 }).model).toBe(model);
    expect(routesOf(snapshot, model)).not.toEqual([]);
  });

  test('CAT-05 CAT-08 no tier is cheaper than the base price', () => {
    for (const tier of model.prices?.tiers ?? []) {
      expect(tier.list.prompt).toBeGreaterThanOrEqual(model.prices?.base.prompt ?? 0n);
      expect(tier.list.completion).toBeGreaterThanOrEqual(model.prices?.base.completion ?? 0n);
    }
  });
});

test('the paid auto table has every tier, and the free one holds free models only', () => {
  expect([...snapshot.auto.paid.keys()].sort()).toEqual([...AUTO_TIERS].sort());
  for (const { modelNames } of snapshot.auto.free.values()) {
    for (const name of modelNames) {
      expect(resolve(snapshot, name, { allowBareName: false, nowMs: 0 }).model.free, name).not.toBeNull();
    }
  }
});
