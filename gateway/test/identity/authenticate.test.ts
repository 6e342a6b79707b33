// Who gets in, who does not, and how little a refusal tells.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Callers, OPERATOR_TOKEN, startCallers } from './callers.ts';

describe('authentication', () => {
  let callers: Callers;
  let userId: string;
  let standard: { id: string; secret: string };
  let management: { id: string; secret: string };

  beforeAll(async () => {
    callers = await startCallers();
    userId = await callers.newUser();
    standard = await callers.newKey(userId);
    management = await callers.newKey(userId, { keyType: 'management' });
  });
  afterAll(() => callers.close());

  const revoke = (accountId: string, keyId: string) => callers.identity.revokeKey({ scope: { accountId }, keyId });
  const switchKey = (accountId: string, keyId: string, isEnabled: boolean) =>
    callers.identity.changeKey({ scope: { accountId }, keyId }, { isEnabled });
  const status = async (path: string, secret?: string): Promise<number> => (await callers.get(path, secret)).status;

  test('AUTH-01 a valid key as Bearer gets in, the scheme in any case', async () => {
    const answer = await callers.get('/v1/model', standard.secret);
    expect(await answer.json()).toEqual({ userId });
    for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
      const again = await callers.get('/v1/model', undefined, { Authorization: `${scheme} ${standard.secret}` });
      expect(again.status).toBe(200);
    }
  });

  test('AUTH-01 x-api-key counts only where the Messages dialect is spoken', async () => {
    expect((await callers.get('/v1/messages', undefined, { 'x-api-key': standard.secret })).status).toBe(200);
    expect((await callers.get('/v1/model', undefined, { 'x-api-key': standard.secret })).status).toBe(401);
    expect((await callers.get('/v1/messages', 'sk-tg-wrong', { 'x-api-key': standard.secret })).status).toBe(401);
  });

  test('AUTH-02 ERR-05 KEY-12 KEY-13 KEY-14 whatever is wrong with a key, the 401 is the same to the byte', async () => {
    const disabled = await callers.newKey(userId);
    await switchKey(userId, disabled.id, false);
    const revoked = await callers.newKey(userId);
    await revoke(userId, revoked.id);
    const expired = await callers.newKey(userId, { expiresAtMs: callers.clock.nowMs() });
    const elsewhere = await callers.newKey(userId, { allowedCidrs: ['203.0.113.0/24'] });
    const lastCharacter = standard.secret.endsWith('A') ? 'B' : 'A';
    const attempts: (Record<string, string> | undefined)[] = [
      undefined,
      { Authorization: '' },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer  ' },
      { Authorization: `Basic ${standard.secret}` },
      { Authorization: standard.secret },
      { Authorization: `Bearer ${standard.secret} x` },
      { Authorization: 'Bearer sk-tg-wrong' },
      { Authorization: `Bearer ${standard.secret.slice(0, -1)}${lastCharacter}` },
      { Authorization: `Bearer ${standard.secret}x` },
      { Authorization: `Bearer ${disabled.secret}` },
      { Authorization: `Bearer ${revoked.secret}` },
      { Authorization: `Bearer ${expired.secret}` },
      { Authorization: `Bearer ${elsewhere.secret}` },
      { Authorization: 'Bearer edu-sess-unknown' },
      { Authorization: `Bearer ' OR 1=1 --` },
    ];
    const answers = new Set<string>();
    for (const headers of attempts) {
      const answer = await callers.get('/v1/model', undefined, headers ?? {});
      expect(answer.status, JSON.stringify(headers)).toBe(401);
      const kept = [...answer.headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
      answers.add(JSON.stringify([kept, await answer.text()]));
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('\\"code\\":401');
  });

  test('KEY-13 enabling a key again restores it at once, although its refusal was remembered', async () => {
    const key = await callers.newKey(userId);
    await switchKey(userId, key.id, false);
    expect(await status('/v1/account', key.secret)).toBe(401);
    await switchKey(userId, key.id, true);
    expect(await status('/v1/account', key.secret)).toBe(200);
  });

  test('KEY-12 KEY-15 a key that was in use stops with its revocation, and only its owner can revoke it', async () => {
    const key = await callers.newKey(userId);
    expect(await status('/v1/account', key.secret)).toBe(200);
    const stranger = await callers.newUser();
    expect(await revoke(stranger, key.id)).toBe(false);
    expect(await switchKey(stranger, key.id, false)).toBeNull();
    expect(await status('/v1/account', key.secret)).toBe(200);
    expect(await revoke(userId, key.id)).toBe(true);
    expect(await status('/v1/account', key.secret)).toBe(401);
    expect(await switchKey(userId, key.id, true)).toBeNull();
    expect(await status('/v1/account', key.secret)).toBe(401);
  });

  test('KEY-14 a key expires at its moment, although it was seen before', async () => {
    const key = await callers.newKey(userId, { expiresAtMs: callers.clock.nowMs() + 61_000 });
    expect(await status('/v1/account', key.secret)).toBe(200);
    callers.clock.move(60_999);
    expect(await status('/v1/account', key.secret)).toBe(200);
    callers.clock.move(1);
    expect(await status('/v1/account', key.secret)).toBe(401);
  });

  test('AUTH-04 AUTH-05 ERR-06 the type of a key decides which routes it opens', async () => {
    expect(await status('/v1/model', management.secret)).toBe(403);
    expect(await status('/v1/management', standard.secret)).toBe(403);
    expect(await status('/v1/management', management.secret)).toBe(200);
    expect(await status('/v1/account', management.secret)).toBe(200);
    expect(await status('/v1/account', standard.secret)).toBe(200);
    const answer = await callers.get('/v1/model', management.secret);
    expect(await answer.json()).toMatchObject({ error: { code: 403, type: 'permission_error' } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });

  test('AUTH-06 a suspended account is refused with 403 on every protected route, and let in again afterwards', async () => {
    const suspended = await callers.newUser();
    const key = await callers.newKey(suspended);
    expect(await status('/v1/account', key.secret)).toBe(200);
    await callers.identity.setSuspended(suspended, true);
    for (const path of ['/v1/account', '/v1/model', '/v1/uncounted', '/v1/management', '/v1/messages']) {
      const answer = await callers.get(path, key.secret);
      expect(answer.status, path).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: 403 } });
    }
    await callers.identity.setSuspended(suspended, false);
    expect(await status('/v1/account', key.secret)).toBe(200);
  });

  test('AUTH-07 an institution key sent directly is told to be exchanged for a session', async () => {
    const answer = await callers.get('/v1/model', 'sk-edu-anything');
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 403, message: expect.stringContaining('session') } });
  });

  test('the operator token opens the operator routes and nothing else', async () => {
    expect(await status('/admin/v1/thing', OPERATOR_TOKEN)).toBe(200);
    expect(await status('/admin/v1/thing')).toBe(401);
    expect(await status('/admin/v1/thing', `${OPERATOR_TOKEN}x`)).toBe(401);
    expect(await status('/admin/v1/thing', management.secret)).toBe(401);
    expect(await status('/v1/account', OPERATOR_TOKEN)).toBe(401);
  });

  test('a handler wrapped for another access than its row has serves nobody', async () => {
    expect(await status('/v1/mistaken', OPERATOR_TOKEN)).toBe(500);
  });
});

describe('the address of the caller', () => {
  test('AUTH-10 AUTH-11 AUTH-12 AUTH-13 only an address from the list, told by a trusted proxy, gets in', async () => {
    const callers = await startCallers({ header: 'x-real-ip', trustedProxies: ['127.0.0.0/8'] });
    const userId = await callers.newUser();
    const open = await callers.newKey(userId);
    const listed = await callers.newKey(userId, { allowedCidrs: ['198.51.100.0/24', '203.0.113.7', '2001:db8::1'] });
    const status = async (address: string | null): Promise<number> =>
      (await callers.get('/v1/account', listed.secret, address === null ? {} : { 'X-Real-IP': address })).status;
    expect((await callers.get('/v1/account', open.secret)).status).toBe(200);
    for (const address of ['198.51.100.9', '203.0.113.7', '2001:db8::1', '2001:0DB8:0::0001', '::ffff:203.0.113.7']) {
      expect(await status(address), address).toBe(200);
    }
    for (const address of [
      null,
      '',
      '203.0.113.8',
      '2001:db8::2',
      '203.0.113.7, 1.2.3.4',
      'nonsense',
      '0313.0.113.7',
    ]) {
      expect(await status(address), String(address)).toBe(401);
    }
    await callers.close();
  });

  test('AUTH-12 a header from a peer that is no proxy of ours is not believed, and without it nobody is known', async () => {
    const callers = await startCallers({ header: 'x-real-ip', trustedProxies: ['10.0.0.0/8'] });
    const key = await callers.newKey(await callers.newUser(), { allowedCidrs: ['203.0.113.7', '127.0.0.1'] });
    const answer = await callers.get('/v1/account', key.secret, { 'X-Real-IP': '203.0.113.7' });
    expect(answer.status).toBe(401);
    await callers.close();
  });

  test('AUTH-12 without a proxy the peer is the client, whatever headers say', async () => {
    const callers = await startCallers();
    const userId = await callers.newUser();
    const local = await callers.newKey(userId, { allowedCidrs: ['127.0.0.1/32'] });
    const remote = await callers.newKey(userId, { allowedCidrs: ['203.0.113.7'] });
    const headers = { 'X-Real-IP': '203.0.113.7', 'X-Forwarded-For': '203.0.113.7' };
    expect((await callers.get('/v1/account', local.secret, headers)).status).toBe(200);
    expect((await callers.get('/v1/account', remote.secret, headers)).status).toBe(401);
    await callers.close();
  });
});
