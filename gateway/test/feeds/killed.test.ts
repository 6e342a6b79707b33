// A gateway is killed while it sends records of calls. The next one sends the records that no receiver has confirmed,
// so that each is in the bucket, at the receiver and in the file at least once, and the same batch has the same name.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { freshDatabase } from '../database.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { KNOWN_KEY, startBucketServer } from './bucket-server.ts';
import { FEED_ADDRESS, startFeedReceiver } from './feed-receiver.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };

test('every record at least once, whenever the process dies', async () => {
  const database = await freshDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'feeds-'));
  const [bucket, receiver] = [await startBucketServer(directory, 'calls'), await startFeedReceiver()];
  const gateway = await GatewayProcess.prepare(
    {},
    {
      DATABASE_URL: database.url,
      TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
      TOLLGATE_SSRF_ALLOW: `${FEED_ADDRESS}/32`,
      // The receivers' certificates are their own.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    },
  );
  const client = new Client({ connectionString: database.url });
  try {
    await gateway.start();
    await client.connect();
    const key = await gateway.account();
    const to = (port: string | number): string => `https://${FEED_ADDRESS}:${port}`;
    const keys = { accessKeyId: KNOWN_KEY, secretAccessKey: KNOWN_KEY };
    const feeds = [
      { form: 's3', url: to(bucket.port), bucket: 'calls', region: 'eu-1', prefix: 'kept/', ...keys },
      { form: 'http', url: to(new URL(receiver.url).port) },
      { form: 'file' },
    ];
    const made: Json[] = [];
    for (const feed of feeds) made.push(await gateway.operate('POST', '/admin/v1/feeds', { name: 'All', ...feed }));
    const call = async (): Promise<string> => {
      const answer = await gateway.stream(key, 'openai/test');
      expect(await answer.text()).toContain('[DONE]');
      return answer.headers.get('x-generation-id') ?? '';
    };
    /** Waiting ends at once: for the next batch, and for the claims of a process that is gone. */
    const hasten = () => client.query('update call_feeds set next_attempt_at = now()');
    const idsIn = (lines: readonly Json[]): readonly string[] => [...new Set(lines.map(({ id }) => String(id)))].sort();
    const inFiles = async (): Promise<readonly Json[]> => {
      const folder = join(gateway.folder, 'data', 'feeds', String(made[2]?.id));
      const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
      return (await Promise.all(texts))
        .flatMap((text) => text.trim().split('\n'))
        .map((line) => JSON.parse(line) as Json);
    };

    // When the process dies, one receiver has stored a batch and the other has read one; the gateway has heard from
    // neither. Other records were never sent.
    bucket.behave('hang');
    receiver.answerWith(() => {});
    const ids = [await call()];
    await vi.waitFor(
      () => expect([bucket.answers, receiver.arrived.length]).toEqual([['stored, unheard'], 1]),
      PATIENCE,
    );
    const [stored] = await bucket.objects();
    for (let made = 0; made < 5; made += 1) ids.push(await call());
    await gateway.signal('SIGKILL');

    // The receivers refuse the next process for a while, and it dies too.
    bucket.behave(503);
    receiver.answerWith((response) => void response.writeHead(503).end());
    await gateway.start();
    await hasten();
    await vi.waitFor(
      () => expect([bucket.answers.at(-1), receiver.arrived.length]).toEqual(['503 SlowDown', 2]),
      PATIENCE,
    );
    ids.push(await call());
    await gateway.signal('SIGKILL');

    bucket.behave(null);
    receiver.answerWith((response) => void response.end());
    await gateway.start();
    ids.push(await call());
    ids.sort();
    await vi.waitFor(async () => {
      await hasten();
      expect([idsIn(await bucket.lines()), idsIn(receiver.lines()), idsIn(await inFiles())]).toEqual([ids, ids, ids]);
    }, PATIENCE);
    await vi.waitFor(async () => {
      const { feeds: seen } = (await gateway.operate('GET', '/admin/v1/feeds')) as { feeds: Json[] };
      expect(seen.map(({ waiting, lost }) => [waiting, lost])).toEqual(feeds.map(() => [0, 0]));
    }, PATIENCE);
    expect(await bucket.objects()).toContain(stored);
    expect(bucket.answers.filter((answer) => answer.startsWith('403'))).toEqual([]);
  } finally {
    await gateway.close();
    await client.end();
    await Promise.all([bucket.close(), receiver.close(), rm(directory, { recursive: true }), database.drop()]);
  }
});
