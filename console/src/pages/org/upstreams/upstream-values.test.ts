import { expect, test } from 'vitest';
import { changesOf, mappingText, parseMappings } from './upstream-values.ts';

test('BYOK-03 a line is a model and its name at the upstream, or the model alone', () => {
  expect(parseMappings(' openai/x = my-deployment \n\nopenai/y\nplain', [])).toEqual([
    { model: 'openai/x', upstreamModel: 'my-deployment', enabled: true },
    { model: 'openai/y', upstreamModel: 'y', enabled: true },
    { model: 'plain', upstreamModel: 'plain', enabled: true },
  ]);
});

test('what is shown and saved again is the same, and what was off stays off', () => {
  const mappings = [
    { model: 'openai/x', upstreamModel: 'a=b', enabled: false },
    { model: 'openai/y', upstreamModel: 'y', enabled: true },
  ];
  expect(parseMappings(mappingText(mappings), mappings)).toEqual(mappings);
});

test('whose calls it serves is sent only where it was changed', () => {
  const before = { modelMappings: [], scopedApiKeyIds: ['key-1', 'key-2'] };
  const chosen = (...ids: string[]): FormData => {
    const form = new FormData();
    for (const id of ids) form.append('scopedApiKeyIds', id);
    return form;
  };
  expect(changesOf(chosen('key-2', 'key-1'), before)).not.toHaveProperty('scopedApiKeyIds');
  expect(changesOf(chosen('key-1'), before).scopedApiKeyIds).toEqual(['key-1']);
  expect(changesOf(chosen(), before).scopedApiKeyIds).toEqual([]);
});
