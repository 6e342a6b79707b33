// A change of a key is forgotten here at once, and other processes hear of it even when the first notice failed.

import { expect, test } from 'vitest';
import type { Notices } from '../../platform/db/database.ts';
import { silentLogger } from '../../platform/logger.ts';
import { createAnnounce } from './announce.ts';

function openChannel() {
  const sent: string[] = [];
  const forgotten: string[] = [];
  const state = { isDown: false, onGap: () => {}, onNotice: (_id: string) => {} };
  const notices: Notices = {
    async publish(_topic, id) {
      if (state.isDown) throw new Error('Connection terminated');
      sent.push(id);
    },
    subscribe: (_topic, handler) => {
      state.onNotice = handler;
    },
    onGap: (handler) => {
      state.onGap = handler;
    },
    close: async () => {},
  };
  const cache = { invalidate: (id: string) => void forgotten.push(id), clear: () => void forgotten.push('*') };
  return { announce: createAnnounce(cache, notices, silentLogger), sent, forgotten, state };
}

test('AUTH-14 a change is forgotten here and told to others, and theirs are forgotten here', async () => {
  const { announce, sent, forgotten, state } = openChannel();
  await announce('key-1');
  state.onNotice('key-2');
  expect([sent, forgotten]).toEqual([['key-1'], ['key-1', 'key-2']]);
});

test('AUTH-14 a notice that could not be sent is no failure of the change, and is sent when the channel is back', async () => {
  const { announce, sent, forgotten, state } = openChannel();
  state.isDown = true;
  await announce('key-1');
  await announce('key-1');
  expect([sent, forgotten]).toEqual([[], ['key-1', 'key-1']]);
  state.isDown = false;
  state.onGap();
  await Promise.resolve();
  expect([sent, forgotten]).toEqual([['key-1'], ['key-1', 'key-1', '*', 'key-1']]);
  state.onGap();
  expect(sent).toEqual(['key-1']);
});
