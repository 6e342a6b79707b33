// Everything that an organization and the operator have connected hangs at once: calls are answered all the same, whole
// and streamed, because an ordinary call waits for none of it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { FEED_ADDRESS, FEED_HOST, type FeedReceiver, startFeedReceiver } from '../feeds/feed-receiver.ts';
import type { Json } from '../harness.ts';
import { Collector } from '../operations/collector.ts';
import { openTown, type Town } from '../signin/people.ts';
import { begin, hire, locationOf, makeOrganization, type Organization } from '../signin/sign-on-bed.ts';

const CALLS = 20;

const records = new Map<string, string>();
let town: Town;
let acme: Organization;
let collector: Collector;
let receiver: FeedReceiver;

beforeAll(async () => {
  // The receiver's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  [collector, receiver] = await Promise.all([Collector.start(), startFeedReceiver()]);
  town = await openTown({
    env: {
      TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
    models: { 'openai/test': {} },
    start: {
      lookup: async (name) => {
        if (name.endsWith(FEED_HOST)) return [FEED_ADDRESS];
        throw new Error('no such name');
      },
      resolveTxt: async (name) => [[records.get(name) ?? '']],
    },
  });
  acme = await makeOrganization(town, records, 'acme.example');
});

afterAll(async () => {
  for (const response of acme.issuer.waiting) response.destroy();
  await Promise.all([acme.issuer.close(), receiver.close(), collector.leave()]);
  await town.close();
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
});

async function connect(path: string, body: Json): Promise<string> {
  const answer = await acme.admin.post(`/api/orgs/${acme.orgId}${path}`, body);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.id);
}

/** What has come and has no answer. */
const hanging = (): readonly string[] =>
  [...new Set(receiver.arrived.map(({ path }) => `/${path.split('/')[1]}`))].toSorted();

/** Ends when the issuer has said who it is, or the gateway has given up asking. */
async function signOn(): Promise<void> {
  const { subject, email } = hire(acme);
  const browser = town.browser();
  const back = await acme.issuer.visit(locationOf(await begin(browser, email)), subject);
  await browser.get(back.replace(town.harness.url, ''));
}

test('a call waits for no feed, notice, issuer or collector, and for no transcript', async () => {
  const { harness } = town;
  receiver.answerWith(() => {});
  collector.isHanging = true;
  acme.issuer.isHanging = true;
  // Each has a host of its own, because calls to one host wait for each other.
  const at = (name: string): string => receiver.url.replace(FEED_HOST, `${name}.${FEED_HOST}`);
  const keys = { bucket: 'bucket', region: 'x', accessKeyId: 'a', secretAccessKey: 'b' };
  await connect('/feeds', { name: 'A', form: 'otlp', url: `${at('otlp')}/otlp` });
  await connect('/feeds', { name: 'B', form: 'http', url: `${at('http')}/http` });
  await connect('/feeds', { name: 'C', form: 's3', url: at('s3'), ...keys });
  for (const channel of ['webhook', 'slack']) {
    const wish = { channel, target: `${at(channel)}/${channel}`, kinds: ['balance.low'], lowBalanceUsd: 1_000 };
    const id = await connect('/notices/addresses', wish);
    await acme.admin.post(`/api/orgs/${acme.orgId}/notices/addresses/${id}/test`, {});
  }
  const session = await acme.admin.get('/api/auth/session');
  const { id: userId } = session.body.user as Json;
  const transcripts = { days: 1, samplePercent: 100, readers: ['org_admin'] };
  const kept = await acme.admin.request('PATCH', `/v1/orgs/${acme.orgId}`, { settings: { transcripts } });
  expect(kept.status, kept.text).toBe(200);
  await harness.operate('POST', `/admin/v1/orgs/${acme.orgId}/credits`, { amountUsd: 5, note: 'welcome' });
  const made = await harness.operate('POST', `/admin/v1/orgs/${acme.orgId}/keys`, {
    name: 'ci',
    keyType: 'standard',
    userId,
  });
  const key = String(made.key);

  const call = async (stream: boolean): Promise<number> =>
    (await harness.chat(key, { model: 'openai/test', stream })).status;
  expect(await call(false)).toBe(200);
  await expect.poll(hanging).toEqual(['/bucket', '/http', '/otlp', '/slack', '/webhook']);
  await expect.poll(() => collector.bodies.length).toBeGreaterThan(0);

  // The machine may be so busy that the gateway gives up waiting for the issuer before the calls have ended.
  const isStillWaiting = async (): Promise<boolean> => {
    let isWaiting = true;
    const coming = signOn().finally(() => {
      isWaiting = false;
    });
    await expect.poll(() => acme.issuer.waiting.size).toBeGreaterThan(0);
    const statuses = await Promise.all(Array.from({ length: CALLS }, (_, index) => call(index % 2 === 0)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const wasWaiting = isWaiting;
    for (const response of acme.issuer.waiting) response.destroy();
    await coming;
    return wasWaiting;
  };
  await expect.poll(isStillWaiting).toBe(true);
  expect([receiver.lines(), collector.spans]).toEqual([[], []]);
});
