// Keys that were seen in public: everybody who has the secret can report it and learns nothing, its holder is told
// once, and the key is switched off where the holder chose that. Only reports with a scanner's signature are believed
// from a scanner.

import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordingLogger } from '../authorization/recording-logger.ts';
import { signIn } from '../authorization/sign-in.ts';
import { customer, orgKey, PASSWORD } from '../authorization/world.ts';
import type { Answer, Json } from '../harness.ts';
import { NoticeBed } from './notice-bed.ts';

/** The request that the scanner's documentation shows, and the key that it was signed with. */
const SHOWN = {
  keyId: 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d',
  key:
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP\n' +
    'HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==\n-----END PUBLIC KEY-----',
  signature: 'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=',
  body: '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]',
};
const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const impostor = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { logger, lines } = recordingLogger();

let bed: NoticeBed;
let keysServer: Server;
let fetches = 0;
let areKeysAway = true;

beforeAll(async () => {
  const key = scanner.publicKey.export({ type: 'spki', format: 'pem' });
  const published = [
    { key_identifier: SHOWN.keyId, key: SHOWN.key, is_current: false },
    { key_identifier: 'ours', key, is_current: true },
  ];
  keysServer = createServer((_request, response) => {
    fetches += 1;
    if (areKeysAway) response.writeHead(500).end();
    else response.end(JSON.stringify({ public_keys: published }));
  });
  await new Promise<void>((resolve) => keysServer.listen(0, '127.0.0.1', resolve));
  const { port } = keysServer.address() as AddressInfo;
  const env = { TOLLGATE_SCANNER_KEYS_URL: `http://127.0.0.1:${port}/keys` };
  bed = await NoticeBed.open(async () => ['93.184.216.34'], { env, logger });
});

afterAll(async () => {
  await bed.close();
  keysServer.closeAllConnections();
  await new Promise((resolve) => keysServer.close(resolve));
});

const OWN = '/api/account';

async function holder() {
  const { userId, email } = await customer(bed.harness, 'holder');
  const headers = await signIn(bed.harness, email, PASSWORD);
  const newKey = async (wish: Json = {}): Promise<{ id: string; secret: string }> => {
    const { body } = await bed.ask('POST', `${OWN}/keys`, headers, { name: 'laptop', ...wish });
    return { id: String(body.id), secret: String(body.key) };
  };
  const read = async (id: string): Promise<Json> => {
    const { body } = await bed.ask('GET', `${OWN}/keys`, headers);
    return (body.keys as Json[]).find((key) => key.id === id) ?? {};
  };
  return { userId, email, headers, newKey, read };
}

const report = (text: string, place?: string): Promise<Answer> =>
  bed.ask('POST', '/v1/keys/leaked', {}, { text, ...(place === undefined ? {} : { place }) });

const mailsTo = async (recipient: string): Promise<number> =>
  (
    await bed.rows("select id from mail_outbox where recipient = $1 and created_at > now() - interval '1 hour'", [
      recipient,
    ])
  ).length;

const isUsable = async (secret: string): Promise<boolean> =>
  (await bed.harness.request('GET', '/v1/key', { key: secret })).status === 200;

/** A report as the scanner sends it, or as somebody else does. */
const sendScan = (body: string, signed: Json): Promise<Answer> =>
  bed.harness.request('POST', '/api/leaks/github', {
    headers: {
      'content-type': 'application/json',
      'github-public-key-identifier': String(signed.keyId),
      'github-public-key-signature': String(signed.signature),
    },
    body,
  });
const signedBy = ({ privateKey }: typeof scanner, body: string, keyId = 'ours'): Json => ({
  keyId,
  signature: sign('sha256', Buffer.from(body), privateKey).toString('base64'),
});

test('whoever reports a key learns nothing, and its holder is told once, without the secret', async () => {
  const { userId, email, headers, newKey, read } = await holder();
  const { id, secret } = await newKey();
  const other = await newKey({ name: 'other' });
  const wish = { channel: 'webhook', target: bed.receiver.url, kinds: ['key.leaked'] };
  expect((await bed.ask('POST', `${OWN}/notices/addresses`, headers, wish)).status).toBe(201);
  const before = await mailsTo(email);
  const made = [
    await report(`export OPENAI_API_KEY="${secret}" # …`, `https://paste.example/raw?key=${secret}&n=1`),
    await report(secret, 'https://elsewhere.example/2'),
    await report(`sk-tg-${'a'.repeat(49)}`),
    await report('nothing of yours'),
  ];
  expect(new Set(made.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['202 {"received":true}']));
  expect(made[0]?.headers.get('x-ratelimit-limit')).toBe('120');

  bed.round();
  expect(await bed.settled(userId, 1)).toMatchObject([{ kind: 'key.leaked', state: 'sent' }]);
  const place = 'https://paste.example/raw?key=sk-tg-…&n=1';
  expect(bed.receiver.heard.at(-1)?.body).toMatchObject({
    type: 'key.leaked',
    data: { keyId: id, name: 'laptop', place, state: 'enabled' },
  });
  // A holder who gets a notice gets no mail beside it.
  expect(await mailsTo(email)).toBe(before);
  expect(await read(id)).toMatchObject({ enabled: true, leakedAt: expect.any(String), leakPlace: place });
  expect(await read(other.id)).toMatchObject({ enabled: true, leakedAt: null, leakPlace: null });
  expect(await isUsable(secret)).toBe(true);
  expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  expect(JSON.stringify(await bed.rows('select * from notices, api_keys'))).not.toContain(secret);
});

test('a key is switched off at its first sighting where its holder chose so, and by nothing less than its secret', async () => {
  const { email, headers, newKey, read } = await holder();
  const { id, secret } = await newKey({ disableWhenLeaked: true });
  const before = await mailsTo(email);
  for (const guess of [secret.slice(0, -1), `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`, id])
    await report(guess);
  expect(await read(id)).toMatchObject({ enabled: true, leakedAt: null });
  expect(await isUsable(secret)).toBe(true);

  await report(`sk-tg-${secret}`);
  expect(await isUsable(secret)).toBe(false);
  expect(await read(id)).toMatchObject({ enabled: false, leakedAt: expect.any(String), leakPlace: null });
  expect(await mailsTo(email)).toBe(before + 1);
  // The holder's decision stays.
  expect((await bed.ask('PATCH', `${OWN}/keys/${id}`, headers, { enabled: true })).status).toBe(200);
  await report(secret);
  expect(await isUsable(secret)).toBe(true);
  expect(await mailsTo(email)).toBe(before + 1);
});

test('an organization’s log says that its key was seen, where, and by whom it was reported', async () => {
  const { userId, email, headers } = await holder();
  const { id: orgId } = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
  const { id, key } = await orgKey(bed.harness, String(orgId), { userId, email }, 'standard');
  const change = await bed.ask('PATCH', `/api/orgs/${orgId}/keys/${id}`, headers, { disableWhenLeaked: true });
  expect(change.status).toBe(200);
  const seen = await bed.harness.operate('POST', '/admin/v1/keys/leaked', { text: `x ${key} y`, place: 'a forum' });
  const leaked = { id, accountId: orgId, userId, enabled: false, leakPlace: 'a forum' };
  expect(seen.keys).toMatchObject([leaked]);
  const log = await bed.ask('GET', `/api/orgs/${orgId}/audit-log?action=org.key.leaked`, headers);
  expect(log.body.entries).toMatchObject([
    {
      actor: { kind: 'operator' },
      targetId: id,
      before: { enabled: true },
      after: { enabled: false, leakPlace: 'a forum' },
    },
  ]);
  expect(log.text).not.toContain(String(key));
});

test('what the scanner signs is believed, and nothing that is unsigned, altered or signed by another', async () => {
  const { headers, newKey, read } = await holder();
  const { id, secret } = await newKey();
  const url = 'https://github.com/octocat/Hello-World/blob/1/foo.txt';
  const body = JSON.stringify([
    { token: secret, type: 'tollgate_key', url, source: 'commit' },
    { token: 'sk-tg-not-one', type: 'tollgate_key', url: '', source: 'gist_content' },
  ]);
  const genuine = signedBy(scanner, body);
  // Without the scanner's keys no report is believed, and the scanner is asked to come again.
  expect((await sendScan(body, genuine)).status).toBe(503);
  expect((await sendScan(body, genuine)).status).toBe(503);
  expect(fetches).toBe(1);
  areKeysAway = false;
  bed.clock.move(10_001);

  const refused = [
    await sendScan(body, signedBy(impostor, body)),
    await sendScan(body.replace('octocat', 'someone'), genuine),
    await sendScan(body, { ...genuine, signature: '' }),
    await sendScan(body, { ...genuine, signature: 'no signature' }),
    await sendScan(body, { ...genuine, keyId: SHOWN.keyId }),
    await bed.ask('POST', '/api/leaks/github', {}, body),
  ];
  for (let made = 0; made < 10; made += 1) refused.push(await sendScan(body, { ...genuine, keyId: `made up ${made}` }));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
  expect(fetches).toBe(2);
  expect(await read(id)).toMatchObject({ leakedAt: null });

  const heard = await sendScan(body, genuine);
  expect(heard.status, heard.text).toBe(200);
  expect(JSON.parse(heard.text)).toEqual([
    { token_raw: secret, token_type: 'tollgate_key', label: 'true_positive' },
    { token_raw: 'sk-tg-not-one', token_type: 'tollgate_key', label: 'false_positive' },
  ]);
  expect(await read(id)).toMatchObject({ leakedAt: expect.any(String), leakPlace: url });
  expect(JSON.parse((await sendScan(SHOWN.body, SHOWN)).text)).toMatchObject([{ label: 'false_positive' }]);
  // What was signed once and is sent again changes nothing that its holder has decided since.
  const careful = await newKey({ disableWhenLeaked: true });
  const replayed = JSON.stringify([{ token: careful.secret, type: 'tollgate_key', url, source: 'commit' }]);
  const signed = signedBy(scanner, replayed);
  expect((await sendScan(replayed, signed)).status).toBe(200);
  expect(await isUsable(careful.secret)).toBe(false);
  await bed.ask('PATCH', `${OWN}/keys/${careful.id}`, headers, { enabled: true });
  expect((await sendScan(replayed, signed)).status).toBe(200);
  expect(await isUsable(careful.secret)).toBe(true);
  const nonsense = '{"token":"x"}';
  expect((await sendScan(nonsense, signedBy(scanner, nonsense))).status).toBe(400);
  expect(lines.filter((line) => line.includes(secret))).toEqual([]);
});
