// The operator sets how long providers may take, for all of them and for each.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  key = (await harness.account()).key;
});

afterAll(() => harness.close());

const route = (provider: string, commands: string) => ({ routes: [{ provider, upstream_model: `sim-${commands}` }] });

async function apply(timeouts: Json, ofPatient: Json): Promise<void> {
  const document = configDocument(harness.simulator.url, {
    models: {
      'acme/silent': route('sim', 'stall'),
      'acme/pausing': route('sim', 'stall-after-2'),
      'acme/slow': route('patient', 'wait-2500'),
    },
  });
  const providers = document.providers as Json;
  const patient = { ...(providers.sim as Json), timeouts: ofPatient };
  await harness.operate('PUT', '/admin/v1/config', { ...document, timeouts, providers: { ...providers, patient } });
}

test('STRM-13 first byte, stall and a provider of its own patience', async () => {
  await apply({ first_byte_seconds: 1, whole_seconds: 1, stall_seconds: 1 }, { whole_seconds: 60 });
  expect((await harness.chat(key, { model: 'acme/silent' })).status).toBe(504);
  expect((await harness.chat(key, { model: 'acme/silent', stream: true })).status).toBe(504);
  const paused = await harness.stream(key, { model: 'acme/pausing' });
  expect(paused.frames.at(-1)?.error).toMatchObject({ message: expect.stringMatching(/in time/) });
  expect((await harness.chat(key, { model: 'acme/slow' })).status).toBe(200);
});

test('STRM-13 what is no number of seconds is refused with its place', async () => {
  await expect(apply({ stall_seconds: 0 }, {})).rejects.toThrow(/stall_seconds/);
  await expect(apply({}, { total_seconds: '5' })).rejects.toThrow(/total_seconds/);
});
