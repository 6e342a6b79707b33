// Plugins are a list of objects with an id; all except the gateway's own are passed on unchanged.

import { expect, test } from 'vitest';
import { upstreamPlugins } from './plugins.ts';

test('CHAT-13 plugins keep their further keys; none is the same as an empty list', () => {
  const plugins = [
    { id: 'web', max_results: 3 },
    { id: 'x', enabled: false },
  ];
  expect(upstreamPlugins({ plugins })).toBe(plugins);
  for (const none of [undefined, null, []]) expect(upstreamPlugins({ plugins: none })).toEqual([]);
});

test.each([
  ['plugins', {}],
  ['plugins', Array(65).fill({ id: 'web' })],
  ['plugins[0]', ['web']],
  ['plugins[1].id', [{ id: 'web' }, {}]],
  ['plugins[0].id', [{ id: 1 }]],
  ['plugins[0].enabled', [{ id: 'web', enabled: 'yes' }]],
])('CHAT-13 what is no list of plugins is refused, naming %s', (path, plugins) => {
  const refusal = expect.objectContaining({ code: 'http_400', message: expect.stringContaining(`${path} must be`) });
  expect(() => upstreamPlugins({ plugins })).toThrow(refusal);
});

test('ROUTE-23 the plugin that shortens prompts is ours and does not travel', () => {
  const web = { id: 'web' };
  expect(upstreamPlugins({ plugins: [{ id: 'context-compression' }, web] })).toEqual([web]);
});
