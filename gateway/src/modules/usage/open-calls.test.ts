// A call is found by any process that is asked, as long as one of them has it, and only for its own account.

import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { type CallView, createOpenCalls } from './open-calls.ts';

const view = (id: string, changes: Partial<CallView> = {}): CallView => ({
  id,
  accountId: 'acc-1',
  userId: 'usr-1',
  keyId: 'key-1',
  operation: 'chat',
  modelId: 'acme/m',
  providerName: 'p',
  appName: null,
  finishReason: null,
  upstreamStatus: 0,
  isStream: true,
  isFailover: false,
  createdAtMs: 0,
  durationMs: 1,
  firstTokenMs: null,
  attemptLog: [],
  autoDecision: null,
  reviews: null,
  isOpen: true,
  ...changes,
});

/** Processes that hear each other's messages at once, but not their own. */
function processes(count: number) {
  const listeners = Array.from({ length: count }, () => new Map<string, (text: string) => void>());
  const said: string[] = [];
  const calls = listeners.map((own) =>
    createOpenCalls(
      {
        tell(topic, text) {
          said.push(topic);
          for (const others of listeners) if (others !== own) others.get(topic)?.(text);
        },
        subscribe: (topic, handler) => void own.set(topic, handler),
        processCount: () => count,
      },
      systemClock,
    ),
  );
  return { calls, said };
}

test('ERR-15 a call is found from the moment it is opened, elsewhere too, and by nobody else', async () => {
  const { calls, said } = processes(3);
  calls[1]?.open('gen-1', () => view('gen-1'));
  expect(await calls[1]?.find('acc-1', 'gen-1')).toEqual(view('gen-1'));
  expect(said).toEqual([]);
  expect(await calls[0]?.find('acc-1', 'gen-1')).toEqual(view('gen-1'));
  expect(await calls[0]?.find('acc-2', 'gen-1')).toBeNull();
  expect(await calls[2]?.find('acc-1', 'gen-2')).toBeNull();
});

test('ERR-15 what has ended without a charge stays until its record can be read, the oldest going first', async () => {
  let nowMs = 0;
  const calls = createOpenCalls(null, { ...systemClock, monotonicMs: () => nowMs });
  const ended = view('gen-1', { isOpen: false, upstreamStatus: 502 });
  calls.open('gen-1', () => view('gen-1'));
  calls.close('gen-1', ended);
  expect(await calls.find('acc-1', 'gen-1')).toEqual(ended);
  nowMs = 60_000;
  calls.close('gen-2', view('gen-2', { isOpen: false }));
  expect(await calls.find('acc-1', 'gen-1')).toBeNull();
  for (let index = 0; index < 10_000; index += 1) calls.close(`gen-x${index}`, ended);
  expect(await calls.find('acc-1', 'gen-2')).toBeNull();
  calls.open('gen-3', () => view('gen-3'));
  calls.close('gen-3', null);
  expect(await calls.find('acc-1', 'gen-3')).toBeNull();
});
