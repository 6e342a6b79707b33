// What an upstream's list of models shows: its health, however long the list is, and the names in it where they are
// wanted.

import { expect, test } from 'vitest';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { checkHealth, probe } from './probe.ts';

const UPSTREAM = { baseUrl: 'https://acme.example/v1', protocol: 'openai', apiKey: 'secret' };

/** An upstream whose list has so many bytes. */
function listing(bytes: number, status = 200) {
  const read: number[] = [];
  return {
    read,
    parts: {
      outbound: {
        request: async ({ url, responseBytesMax }: Readonly<{ url: string | URL; responseBytesMax: number }>) => {
          read.push(Math.min(bytes, responseBytesMax));
          if (bytes > responseBytesMax) throw new OutboundError('oversize', undefined, status);
          return { status, headers: {}, body: Buffer.alloc(bytes), url: new URL(url) };
        },
      },
      lister: { call: () => ({ path: '/models', headers: [] }), read: () => new Set(['one']) },
    },
  };
}

test('DOS-1 the regular check reads only the beginning of a long list, which is none the worse for it', async () => {
  const long = listing(2_000_000);
  expect(await checkHealth(UPSTREAM, long.parts)).toEqual({ status: 'healthy', lastError: null });
  expect(long.read[0]).toBeLessThan(100_000);
  expect(await checkHealth(UPSTREAM, listing(2_000_000, 401).parts)).toMatchObject({ status: 'unhealthy' });
  expect(await checkHealth(UPSTREAM, listing(10, 500).parts)).toMatchObject({ status: 'unhealthy' });
});

test('whoever adds an upstream gets the names from all of it', async () => {
  const long = listing(2_000_000);
  expect(await probe(UPSTREAM, long.parts)).toMatchObject({ health: { status: 'healthy' }, models: new Set(['one']) });
  expect(long.read).toEqual([2_000_000]);
  expect(await probe(UPSTREAM, listing(5_000_000).parts)).toMatchObject({ health: { status: 'unhealthy' } });
});
