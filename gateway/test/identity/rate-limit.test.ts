// Twenty a minute, or two hundred from ten dollars on, counted by user and announced on every success.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Callers, startCallers } from './callers.ts';

const USD = 1_000_000_000n;

describe('the rate limit', () => {
  let callers: Callers;
  beforeAll(async () => {
    callers = await startCallers();
  });
  afterAll(() => callers.close());

  const call = async (secret: string, path = '/v1/account'): Promise<Response> => {
    const answer = await callers.get(path, secret);
    await answer.arrayBuffer();
    return answer;
  };
  const callTimes = async (secret: string, count: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) statuses.push((await call(secret)).status);
    return statuses;
  };

  test('LIM-01 LIM-04 LIM-05 ERR-03 under $10 the 21st request of a minute is refused, until the minute turns', async () => {
    callers.clock.move(30_000 - (callers.clock.nowMs() % 60_000));
    const userId = await callers.newUser();
    callers.balances.set(userId, 10n * USD - 1n);
    const { secret } = await callers.newKey(userId);
    const first = await call(secret);
    const windowEnd = (Math.floor(callers.clock.nowMs() / 60_000) + 1) * 60;
    expect(first.headers.get('x-ratelimit-limit')).toBe('20');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('19');
    expect(first.headers.get('x-ratelimit-reset')).toBe(String(windowEnd));
    expect(first.headers.get('x-request-id')).not.toBeNull();
    expect(await callTimes(secret, 19)).toEqual(Array(19).fill(200));
    const refused = await callers.get('/v1/account', secret);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('20');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(windowEnd));
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.json()).toMatchObject({ error: { code: 429, type: 'rate_limit_error' } });
    callers.clock.move(30_000);
    expect((await call(secret)).status).toBe(200);
  });

  test('LIM-02 from exactly $10 on it is 200', async () => {
    const userId = await callers.newUser();
    callers.balances.set(userId, 10n * USD);
    const { secret } = await callers.newKey(userId);
    expect((await call(secret)).headers.get('x-ratelimit-limit')).toBe('200');
    expect((await callTimes(secret, 200)).filter((status) => status === 200)).toHaveLength(199);
  });

  test('LIM-03 the keys of one user share a limit, two users do not', async () => {
    const userId = await callers.newUser();
    const [first, second] = [await callers.newKey(userId), await callers.newKey(userId, { keyType: 'management' })];
    const other = await callers.newKey(await callers.newUser());
    await callTimes(first.secret, 12);
    expect(await callTimes(second.secret, 9)).toEqual([...Array(8).fill(200), 429]);
    expect((await call(other.secret)).status).toBe(200);
  });

  test('LIM-10 an organization key has the tier of the organization that pays', async () => {
    const userId = await callers.newUser();
    callers.balances.set('org-rich', 50n * USD);
    const { secret } = await callers.newKey(userId, { accountId: 'org-rich' });
    expect((await call(secret)).headers.get('x-ratelimit-limit')).toBe('200');
  });

  test('KEY-21 an uncounted route neither counts nor is refused', async () => {
    const { secret } = await callers.newKey(await callers.newUser());
    for (let index = 0; index < 25; index++) expect((await call(secret, '/v1/uncounted')).status).toBe(200);
    expect((await call(secret)).headers.get('x-ratelimit-remaining')).toBe('19');
  });

  test('LIM-06 the fifth refusal within ten minutes leads to five minutes of restriction', async () => {
    const { secret } = await callers.newKey(await callers.newUser());
    expect(await callTimes(secret, 25)).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
    callers.clock.move(60_000);
    const blocked = await callers.get('/v1/account', secret);
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get('retry-after')).toBe('240');
    expect(blocked.headers.get('x-should-retry')).toBe('false');
    expect(blocked.headers.get('x-ratelimit-limit')).toBeNull();
    expect(await blocked.json()).toMatchObject({
      error: { code: 429, message: expect.stringMatching(/temporar/i) },
    });
    callers.clock.move(239_999);
    expect((await call(secret)).status).toBe(429);
    callers.clock.move(1);
    expect((await call(secret)).status).toBe(200);
  });

  test('LIM-09 a public listing allows 120 requests a minute from one address, with no key', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 121; index++) {
      const answer = await callers.get('/v1/listing');
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array(120).fill(200), 429]);
    callers.clock.move(60_000);
    expect((await callers.get('/v1/listing')).status).toBe(200);
  });

  test('LIM-09 the addresses of one IPv6 network are one visitor, those of another are not', async () => {
    const behindProxy = await startCallers({ header: 'x-real-ip', trustedProxies: ['127.0.0.0/8', '::1/128'] });
    const ask = async (address: string): Promise<number> => {
      const answer = await behindProxy.get('/v1/listing', undefined, { 'x-real-ip': address });
      await answer.arrayBuffer();
      return answer.status;
    };
    const statuses: number[] = [];
    for (let index = 0; index < 121; index++) statuses.push(await ask(`2001:db8:1:2:${index}::1`));
    expect(statuses).toEqual([...Array(120).fill(200), 429]);
    expect([await ask('2001:db8:1:3::1'), await ask('192.0.2.1')]).toEqual([200, 200]);
    await behindProxy.close();
  });

  test('AUTH-02 a request that is not authenticated counts for nobody', async () => {
    const { secret } = await callers.newKey(await callers.newUser());
    for (let index = 0; index < 30; index++) await callers.get('/v1/account', `${secret}x`);
    expect((await call(secret)).headers.get('x-ratelimit-remaining')).toBe('19');
  });
});
