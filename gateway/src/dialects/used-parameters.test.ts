// The parameters that a call requires are those that its body really uses, in any of the three dialects.

import { expect, test } from 'vitest';
import { usedParameters } from './used-parameters.ts';

test('ROUTE-18 the parameters of a body, by the names that catalogs list', () => {
  expect(usedParameters({ model: 'a', messages: [], stream: true, max_tokens: 5 })).toEqual([]);
  expect(usedParameters({ temperature: 0, seed: null, logprobs: false, top_k: undefined })).toEqual(['temperature']);
  expect(usedParameters({ logprobs: true, top_logprobs: 2, stop_sequences: ['a'] })).toEqual(['logprobs', 'stop']);
  expect(usedParameters({ thinking: { type: 'enabled' }, reasoning_effort: 'low' })).toEqual(['reasoning']);
});
