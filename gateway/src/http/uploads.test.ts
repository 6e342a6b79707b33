// Files of a call: small ones stay in memory, larger ones are on disk without a name, and all together have a limit.

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUploads, type StoredFile } from './uploads.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-uploads-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readAll(file: StoredFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test.each([0, 5, 262_144, 262_145, 1_000_000])('%i bytes come back, twice and at once', async (size) => {
  const bytes = Buffer.alloc(size, 'recording');
  const writer = createUploads(folder).create('ann');
  for (let start = 0; start < size; start += 100_000) await writer.write(bytes.subarray(start, start + 100_000));
  const file = writer.finish();
  expect(file.byteLength).toBe(size);
  expect(file.head.equals(bytes.subarray(0, 4_096))).toBe(true);
  const [first, second] = await Promise.all([readAll(file), readAll(file)]);
  expect(first.equals(bytes)).toBe(true);
  expect(second.equals(bytes)).toBe(true);
  expect(await readdir(folder)).toEqual([]);
  await writer.discard();
  await writer.discard();
});

test('the disk is bounded for all together, and given back', async () => {
  const uploads = createUploads(folder, 2_400_000);
  const callers = Array.from({ length: 8 }, (_, index) => uploads.create(`caller ${index}`));
  for (const writer of callers) await writer.write(Buffer.alloc(300_000));
  const late = uploads.create('late');
  await expect(late.write(Buffer.alloc(300_000))).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 });
  await callers[0]?.discard();
  const next = uploads.create('next');
  await next.write(Buffer.alloc(300_000));
  await Promise.all([...callers, late, next].map((writer) => writer.discard()));
});

test('one caller has a share of it, whatever the others leave, and has it back when a call ends', async () => {
  const uploads = createUploads(folder, 4_800_000);
  const [first, second] = [uploads.create('ann'), uploads.create('ann')];
  await first.write(Buffer.alloc(400_000));
  await expect(second.write(Buffer.alloc(300_000))).rejects.toMatchObject({ status: 429 });
  const other = uploads.create('bo');
  await other.write(Buffer.alloc(400_000));
  await first.discard();
  await second.discard();
  const third = uploads.create('ann');
  await third.write(Buffer.alloc(500_000));
  await Promise.all([third.discard(), other.discard()]);
});

test('what is written after the client left is refused', async () => {
  const writer = createUploads(folder).create('ann');
  await writer.write(Buffer.alloc(300_000));
  await writer.discard();
  await expect(writer.write(Buffer.alloc(1))).rejects.toMatchObject({ status: 400 });
});
