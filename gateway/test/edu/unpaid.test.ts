// A student who leaves calls unpaid is restricted like everybody else, and the operator can let them in again although
// they have no account.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { type EduBed, openEduBed } from './campus.ts';

const STALLED = 'acme/stalled';

let bed: EduBed;

beforeAll(async () => {
  const pricing = { prompt: '1', completion: '2', request: '3' };
  bed = await openEduBed({ models: { [STALLED]: { commands: 'stall-before-finish', entry: { pricing } } } });
});

afterAll(() => bed?.close());

/** Reads the beginning of a stream that costs three dollars, and leaves. */
async function leaveStream(token: string): Promise<void> {
  const control = new AbortController();
  const messages = [{ role: 'user', content: 'Hello' }];
  const response = await fetch(`${bed.harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: STALLED, stream: true, max_tokens: 9, messages }),
    signal: control.signal,
  });
  await response.body?.getReader().read();
  control.abort();
}

test('the operator lifts the restriction of a student, and of nobody who is not there', async () => {
  const campus = await bed.campus({}, 10);
  const { token } = await bed.student(campus);
  await leaveStream(token);
  await expect.poll(async () => (await bed.chat(token, { model: 'acme/small' })).status).toBe(429);
  const { exposures } = await bed.harness.operate('GET', '/admin/v1/exposures');
  const [found] = (exposures as Json[]).filter(({ accountId }) => accountId === campus.orgId);
  expect(found).toMatchObject({ restricted: true, userId: expect.stringMatching(/^student-/) });
  const path = `/admin/v1/exposures/${campus.orgId}`;
  const lift = (userId: string) =>
    bed.harness.request('PATCH', `${path}/${userId}`, { key: ADMIN_TOKEN, body: { restricted: false } });
  expect((await lift('student-000000000000000000000000')).status).toBe(404);
  expect((await lift(String(found?.userId))).body).toMatchObject({ restricted: false });
  expect((await bed.chat(token, { model: 'acme/small' })).status).toBe(200);
});
