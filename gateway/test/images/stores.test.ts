// Where pictures are stored: a folder with a limit that is tidied, and a bucket that several gateways share.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePng } from '@tollgate/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BucketStore } from '../../src/modules/media/bucket-store.ts';
import { DiskStore } from '../../src/modules/media/disk-store.ts';
import { type MediaStore, mediaNameOf } from '../../src/modules/media/media-store.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { SetClock } from '../caps/set-clock.ts';
import { CREDENTIALS, type FakeBucket, startFakeBucket } from './fake-bucket.ts';
import { codeOf, download, paint, startImages, urlsOf } from './image-harness.ts';

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const HOUR_MS = 3_600_000;

async function put(store: MediaStore, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  await store.put(digestOf(bytes), bytes);
  return digestOf(bytes);
}

async function read(store: MediaStore, digest: string): Promise<string | null> {
  const media = await store.open(digest);
  return media === null ? null : (await buffer(media.body)).toString();
}

describe('a folder', () => {
  let folder: string;
  const clock = new SetClock('2026-03-01T10:00:00.000Z');
  const open = (bytesMax = 1_000): DiskStore => new DiskStore({ folder: join(folder, 'media'), bytesMax, clock });
  const files = async (): Promise<string[]> => {
    const entries = await readdir(join(folder, 'media'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-media-'));
    clock.set('2026-03-01T10:00:00.000Z');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('IMG-13 the same twice is one file, and what is not there is not', async () => {
    const store = open();
    const [first, second] = [await put(store, 'one'), await put(store, 'one')];
    expect(first).toBe(second);
    expect(await files()).toEqual([first]);
    expect(await read(store, first)).toBe('one');
    expect(await store.find(first)).toEqual({ byteLength: 3 });
    expect([await store.find(digestOf(Buffer.from('x'))), await read(store, digestOf(Buffer.from('x')))]).toEqual([
      null,
      null,
    ]);
  });

  test('IMG-13 it is bounded: the oldest give way, also those of an earlier process', async () => {
    const earlier = await put(open(10), '1234');
    const store = open(10);
    const second = await put(store, '5678');
    expect(await read(store, earlier)).toBe('1234');
    // Asked for again, so it is no longer the oldest.
    await put(store, '1234');
    const third = await put(store, '9012');
    expect((await files()).sort()).toEqual([earlier, third].sort());
    expect(await read(store, second)).toBeNull();
    await expect(put(store, 'longer than ten')).rejects.toThrow();
    expect((await files()).sort()).toEqual([earlier, third].sort());
  });

  test('IMG-13 whoever has most gives way, also to what an earlier process has stored', async () => {
    const keep = async (store: MediaStore, text: string, owner: string): Promise<string> => {
      const name = mediaNameOf(Buffer.from(text), owner);
      await store.put(name, Buffer.from(text));
      return name;
    };
    const quiet = [await keep(open(20), '1234', 'quiet')];
    const store = open(20);
    quiet.push(await keep(store, '5678', 'quiet'));
    const loud: string[] = [];
    for (let round = 0; round < 20; round += 1) loud.push(await keep(store, `${1_000 + round}`, 'loud'));
    expect((await files()).sort()).toEqual([...quiet, ...loud.slice(-3)].sort());
    // A third gets its share of the one who has most, and beyond that only its own gives way.
    const third = [await keep(store, 'abcd', 'third'), await keep(store, 'efgh', 'third')];
    expect((await files()).sort()).toEqual([...quiet, ...loud.slice(-2), ...third.slice(-1)].sort());
    // What two have alike is stored for each of them.
    const alike = await keep(store, '1234', 'loud');
    expect(await files()).toEqual(expect.arrayContaining([alike, loud.at(-1)]));
    expect(await read(store, alike)).toBe('1234');
  });

  test('IMG-13 room is left on the disk: the oldest give way, and what does not fit is not stored', async () => {
    let spare = 8;
    const spareBytes = async (): Promise<number> => spare;
    const store = new DiskStore({ folder: join(folder, 'media'), bytesMax: 1_000, clock, spareBytes });
    const first = await put(store, '1234');
    spare = 4;
    const second = await put(store, '5678');
    spare = 0;
    const third = await put(store, '9012');
    expect(await read(store, first)).toBeNull();
    expect((await files()).sort()).toEqual([second, third].sort());
    spare = -8;
    await expect(put(store, 'abcd')).rejects.toThrow('the disk has room for');
  });

  test('IMG-13 a folder that could not be read once is read again', async () => {
    const store = open();
    await writeFile(join(folder, 'media'), 'in the way');
    await expect(put(store, 'one')).rejects.toThrow('ENOTDIR');
    await rm(join(folder, 'media'));
    expect(await read(store, await put(store, 'one'))).toBe('one');
  });

  test('IMG-14 what is over is swept, with what a crash left half written', async () => {
    const store = open();
    const old = await put(store, 'old');
    await writeFile(join(folder, 'media', old.slice(0, 2), `${old}.half`), 'ol');
    clock.set('2026-03-01T10:30:00.000Z');
    const young = await put(store, 'young');
    expect(await store.sweep(clock.nowMs() - 600_000)).toBe(1);
    expect(await read(store, old)).toBeNull();
    expect(await store.sweep(Date.now() + HOUR_MS)).toBe(2);
    expect(await files()).toEqual([]);
    expect(await read(store, young)).toBeNull();
    // It can be put again.
    await put(store, 'old');
    expect(await read(store, old)).toBe('old');
  });
});

test('IMG-14 a job sweeps what no address leads to any more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-media-'));
  const clock = new SetClock('2026-03-01T10:00:00.000Z');
  const due: (() => void)[] = [];
  const every: Clock['every'] = (intervalMs, run) => {
    if (intervalMs !== 600_000) return systemClock.every(intervalMs, run);
    due.push(run);
    return () => undefined;
  };
  const start = {
    clock: { nowMs: clock.nowMs, monotonicMs: systemClock.monotonicMs, sleep: systemClock.sleep, every },
  };
  const harness = await startImages({ env: { TOLLGATE_DATA_DIR: folder }, start });
  const files = async (): Promise<number> => {
    const entries = await readdir(join(folder, 'media'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  };
  try {
    const [{ key }, { key: another }] = [await harness.account(5), await harness.account(5)];
    // The same picture each time, and one file for each account.
    for (const painter of [key, key, another]) await paint(harness, painter);
    for (const run of due) run();
    await sleep(100);
    expect(await files()).toBe(2);
    clock.set('2026-03-01T11:05:01.000Z');
    // A job that is still at work is not begun a second time.
    await expect
      .poll(() => {
        for (const run of due) run();
        return files();
      })
      .toBe(0);
  } finally {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  }
});

describe('a bucket', () => {
  let bucket: FakeBucket;

  beforeEach(async () => {
    bucket = await startFakeBucket();
  });

  afterEach(() => bucket.close());

  test('IMG-13 puts, finds, opens and sweeps, page by page, and leaves alone what is not ours', async () => {
    const store = new BucketStore({ endpoint: bucket.url, bucket: 'pictures', prefix: 'tollgate/', ...CREDENTIALS });
    const digests = await Promise.all(['one', 'two', 'three'].map((text) => put(store, text)));
    expect([...bucket.objects.keys()].sort()).toEqual(digests.map((digest) => `tollgate/${digest}`).sort());
    expect(await read(store, digests[0] ?? '')).toBe('one');
    expect(await store.find(digests[2] ?? '')).toEqual({ byteLength: 5 });
    expect([await store.find('0'.repeat(64)), await read(store, '0'.repeat(64))]).toEqual([null, null]);
    bucket.objects.set('tollgate/notes.txt', { bytes: Buffer.from('x'), storedAtMs: 0 });
    bucket.objects.set(`other/${digests[0]}`, { bytes: Buffer.from('x'), storedAtMs: 0 });
    for (const digest of digests.slice(1)) {
      const object = bucket.objects.get(`tollgate/${digest}`);
      if (object !== undefined) object.storedAtMs = 0;
    }
    expect(await store.sweep(Date.now() - HOUR_MS)).toBe(2);
    expect([...bucket.objects.keys()].sort()).toEqual(
      [`other/${digests[0]}`, `tollgate/${digests[0]}`, 'tollgate/notes.txt'].sort(),
    );
    expect(bucket.complaints).toEqual([]);
    bucket.setDown(true);
    await expect(put(store, 'four')).rejects.toThrow('503');
    await expect(store.open(digests[0] ?? '')).rejects.toThrow('503');
  });

  test('IMG-14 more pictures than one run looks at are swept by the next', async () => {
    const store = new BucketStore({ endpoint: bucket.url, bucket: 'pictures', prefix: '', ...CREDENTIALS });
    const young = Array.from({ length: 60 }, (_, index) => index.toString(16).padStart(64, '0'));
    for (const digest of young) bucket.objects.set(digest, { bytes: Buffer.from('x'), storedAtMs: Date.now() });
    bucket.objects.set('f'.repeat(64), { bytes: Buffer.from('x'), storedAtMs: 0 });
    expect(await store.sweep(Date.now() - HOUR_MS)).toBe(0);
    expect(await store.sweep(Date.now() - HOUR_MS)).toBe(1);
    bucket.objects.set('0'.repeat(64), { bytes: Buffer.from('x'), storedAtMs: 0 });
    expect(await store.sweep(Date.now() - HOUR_MS)).toBe(1);
    expect(bucket.objects.size).toBe(young.length - 1);
  });

  test('IMG-13 ERR-53 behind a gateway; when it is away, only what the upstream has as well is still had', async () => {
    const env = {
      TOLLGATE_S3_ENDPOINT: bucket.url,
      TOLLGATE_S3_BUCKET: 'pictures',
      TOLLGATE_S3_REGION: CREDENTIALS.region,
      TOLLGATE_S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      TOLLGATE_S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
    const harness = await startImages({ env });
    try {
      const { key } = await harness.account(5);
      const [url = ''] = urlsOf(await paint(harness, key));
      expect([...bucket.objects.keys()]).toEqual([expect.stringMatching(`^${digestOf(makePng(1))}[0-9a-f]{16}$`)]);
      expect((await download(url)).bytes.equals(makePng(1))).toBe(true);
      expect((await download(url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(makePng(1).length));
      expect(bucket.complaints).toEqual([]);
      bucket.setDown(true);
      expect((await download(url)).status).toBe(404);
      const refused = await paint(harness, key);
      expect([refused.status, codeOf(refused)]).toEqual([502, 'pipeline_error']);
      const linked = await paint(harness, key, { model: 'acme/linker' });
      expect((await download(urlsOf(linked)[0] ?? '')).bytes.equals(makePng(1))).toBe(true);
      expect(await harness.spent(key)).toBe(0.08);
      expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
    } finally {
      await harness.close();
    }
  });
});
