// Whether a prompt may be shortened: yes, no or not stated, by the field or by the plugin that means the same.

import { expect, test } from 'vitest';
import { readTransforms } from './read-transforms.ts';

const plugin = (more: object = {}) => ({ plugins: [{ id: 'context-compression', ...more }] });

test.each([
  ['nothing', {}, null],
  ['null', { transforms: null }, null],
  ['other plugins', { plugins: [{ id: 'web' }] }, null],
  ['a no', { transforms: [] }, []],
  ['a yes', { transforms: ['middle-out'] }, ['middle-out']],
  ['the plugin', plugin(), ['middle-out']],
  ['the plugin, switched on', plugin({ enabled: true }), ['middle-out']],
  ['the plugin, switched off', plugin({ enabled: false }), []],
  ['both, of which the field counts', { transforms: [], ...plugin() }, []],
])('ROUTE-23 %s', (_, body, transforms) => {
  expect(readTransforms(body)).toEqual(transforms);
});

test('ROUTE-23 AMB-10 anything else is refused', () => {
  const refusal = (code: string) => expect.objectContaining({ code, message: expect.stringContaining('transforms') });
  for (const transforms of ['middle-out', {}, 1]) {
    expect(() => readTransforms({ transforms })).toThrow(refusal('http_400'));
  }
  for (const transforms of [['x'], ['middle-out', 1]]) {
    expect(() => readTransforms({ transforms })).toThrow(refusal('unsupported_param'));
  }
});
