// The public listing is how clients learn what they can call and at what price: units, filters and dates must be exact.

import { describe, expect, test } from 'vitest';
import { SAMPLE, snapshotOf } from '../../../test/catalog/sample-catalog.ts';
import type { PublicModel } from '../../contract/models.ts';
import { ApiError } from '../../errors/api-error.ts';
import { listingBytes, listModels, parseModalityFilter } from './listing.ts';
import { findPublicModel } from './retrieve-model.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const snapshot = snapshotOf(SAMPLE, [{ id: 'openai/gpt-x', firstSeenAtMs: 1_700_000_000_500, deprecationDate: null }]);

const list = (query = 'output_modalities=all', nowMs = NOW): readonly PublicModel[] =>
  listModels(snapshot, { modalities: parseModalityFilter(query), allowedModels: null }, nowMs).data;
const idsOf = (query: string, nowMs = NOW): string[] => list(query, nowMs).map((model) => model.id);

function entry(id: string, nowMs = NOW): PublicModel {
  const found = list('output_modalities=all', nowMs).find((model) => model.id === id);
  if (found === undefined) throw new Error(`${id} is not listed`);
  return found;
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code}`;
    throw error;
  }
  return 'no error';
}

describe('one entry', () => {
  test('CAT-02 CAT-03 CAT-04 CAT-05 CAT-06 CAT-07 CAT-08 holds every field in its unit', () => {
    expect(entry('openai/gpt-x')).toEqual({
      id: 'openai/gpt-x',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'openai',
      type: 'model',
      display_name: 'GPT X',
      created_at: '2023-11-14T22:13:20.000Z',
      max_input_tokens: 128_000,
      max_tokens: 16_384,
      canonical_slug: 'openai/gpt-x',
      name: 'GPT X',
      description: null,
      context_length: 128_000,
      modality: 'text+image->text',
      architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'], output_modalities: ['text'] },
      pricing: { prompt: '0.15', completion: '0.6', cache_read: '0.075' },
      pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.0000003', completion: '0.0000012' }],
      top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: true },
      per_request_limits: null,
      supported_parameters: ['tools', 'response_format'],
      default_parameters: {},
      supported_voices: null,
      endpoints: ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/completions'],
      links: { details: '/v1/models/openai-gpt-x' },
      end_of_life: false,
    });
  });

  test('CAT-03 CAT-06 CAT-07 what a model lacks is null or absent, as each field has it', () => {
    const model = entry('anthropic/claude-sonnet-4.5');
    expect([model.context_length, model.max_input_tokens, model.max_tokens]).toEqual([null, null, null]);
    expect(model.top_provider).toEqual({ is_moderated: true });
    expect(model.supported_parameters).toEqual([]);
    expect(model).not.toHaveProperty('pricing_tiers');
    expect(model).not.toHaveProperty('expiration_date');
    expect(model).not.toHaveProperty('video');
  });

  test('says where the model can be called, for what it has a price', () => {
    expect(entry('other/painter').endpoints).toContain('/v1/images/generations');
    expect(entry('anthropic/claude-sonnet-4.5').endpoints).not.toContain('/v1/images/generations');
  });

  test('CAT-05 prices by the unit are shown by the unit', () => {
    expect(entry('other/painter').pricing).toEqual({ prompt: '1', completion: '2', image: '0.04' });
  });

  test('CAT-09 a free tier has an entry of its own, at no price', () => {
    const free = entry('openai/gpt-x:free');
    expect(free.pricing).toEqual({ prompt: '0', completion: '0' });
    expect(free).not.toHaveProperty('pricing_tiers');
    expect(free.display_name).toBe('GPT X (free)');
    expect(free).toMatchObject({ name: 'GPT X (free)', canonical_slug: 'openai/gpt-x', context_length: 128_000 });
    expect(list().filter((model) => model.id.endsWith(':free'))).toHaveLength(1);
  });
});

describe('filters', () => {
  test('CAT-10 text models without a query, everything with all', () => {
    expect(idsOf('')).toContain('openai/gpt-x');
    expect(idsOf('')).toContain('other/painter');
    expect(idsOf('')).not.toContain('other/embedder');
    expect(idsOf('limit=500&offset=0')).toEqual(idsOf(''));
    expect(idsOf('output_modalities=')).toEqual(idsOf(''));
    expect(idsOf('output_modalities=all')).toEqual(expect.arrayContaining([...idsOf(''), 'other/embedder']));
  });

  test('CAT-11 one modality, or the union of several', () => {
    expect(idsOf('output_modalities=embeddings')).toEqual(['other/embedder']);
    expect(idsOf('output_modalities=image')).toEqual(['other/painter']);
    expect(idsOf('output_modalities=embeddings,%20image')).toEqual(['other/embedder', 'other/painter']);
    expect(idsOf('output_modalities=embeddings&output_modalities=image')).toEqual(['other/embedder', 'other/painter']);
    expect(idsOf('output_modalities=speech')).toEqual([]);
  });

  test('CAT-11 an unknown modality is refused, also beside a known one', () => {
    expect(codeOf(() => list('output_modalities=smell'))).toBe('400 unsupported_param');
    expect(codeOf(() => list('output_modalities=text,smell'))).toBe('400 unsupported_param');
    expect(codeOf(() => list('output_modalities=all,smell'))).toBe('400 unsupported_param');
  });

  test('CAT-20 what cannot be called, for want of a price, is not listed', () => {
    expect(idsOf('output_modalities=all')).not.toContain('other/unpriced');
    expect(codeOf(() => findPublicModel(snapshot, 'other-unpriced', NOW))).toBe('404 model_not_found');
  });
});

describe('the end of a model', () => {
  const at = (text: string): number => Date.parse(text);

  test('CAT-18 it is flagged from thirty days before its last day', () => {
    expect(entry('other/old', at('2026-02-28T23:59:59Z'))).toMatchObject({
      end_of_life: false,
      expiration_date: '2026-03-31',
    });
    expect(entry('other/old', at('2026-03-01T00:00:00Z'))).toMatchObject({
      end_of_life: true,
      expiration_date: '2026-03-31',
    });
    expect(entry('other/old', at('2026-03-31T23:59:59Z')).end_of_life).toBe(true);
  });

  test('CAT-19 after its last day it is in no listing, and its slug is 410', () => {
    const after = at('2026-04-01T00:00:00Z');
    expect(idsOf('output_modalities=all', after)).not.toContain('other/old');
    expect(codeOf(() => findPublicModel(snapshot, 'other-old', after - 1))).toBe('no error');
    expect(codeOf(() => findPublicModel(snapshot, 'other-old', after))).toBe('410 model_retired');
  });

  test('CAT-19 a retired model that left the document is remembered', () => {
    const later = snapshotOf(SAMPLE, [{ id: 'other/gone', firstSeenAtMs: 0, deprecationDate: '2025-12-31' }]);
    expect(codeOf(() => findPublicModel(later, 'other-gone', NOW))).toBe('410 model_retired');
    expect(codeOf(() => findPublicModel(later, 'other/gone', NOW))).toBe('410 model_retired');
  });

  test('the bytes are made once a day, and anew the next', () => {
    const all = { modalities: parseModalityFilter('output_modalities=all'), allowedModels: null };
    const first = listingBytes(snapshot, all, at('2026-03-31T00:00:00Z'));
    expect(listingBytes(snapshot, all, at('2026-03-31T23:59:59Z'))).toBe(first);
    const next = listingBytes(snapshot, all, at('2026-04-01T00:00:00Z'));
    expect(next.includes('other/old')).toBe(false);
    expect(first.includes('other/old')).toBe(true);
  });
});

describe('one model by name', () => {
  const idOf = (name: string): string => findPublicModel(snapshot, name, NOW).id;

  test('CAT-12 by its slug, or by its id where the slash came encoded', () => {
    expect(idOf('openai-gpt-x')).toBe('openai/gpt-x');
    expect(idOf('openai/gpt-x')).toBe('openai/gpt-x');
    expect(idOf('openai-gpt-x:extended')).toBe('openai/gpt-x:extended');
    expect(idOf('openai-gpt-x:free')).toBe('openai/gpt-x:free');
    expect(idOf('openai/gpt-x:free')).toBe('openai/gpt-x:free');
  });

  test.each([
    'nosuch-model',
    '',
    'openai-gpt/x',
    'anthropic-claude-sonnet-4.5:free',
    'gpt-x',
    '__proto__',
    'constructor',
  ])('CAT-13 ERR-22 %j is not found', (name) => {
    expect(codeOf(() => idOf(name))).toBe('404 model_not_found');
  });
});
