// Arrays in binary form are made here and read by the server, so each is read back as the same array in text form is.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { binaryArray, hasBinaryForm } from '../../src/platform/db/array-binary.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';

let fresh: FreshDatabase;
let client: Client;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await fresh.drop();
});

async function readBack(type: string, array: unknown): Promise<string> {
  const { rows } = await client.query(`select $1::${type}[]::text as written`, [array]);
  return rows[0].written;
}

type Values = (number | bigint | boolean | null)[];

const LARGE = Number.MAX_SAFE_INTEGER;
const TIMES_MS = [Date.UTC(2026, 10, 18, 12, 30, 15, 123), 946_684_800_000, 946_684_799_999, 0, -86_400_001];

test.each([
  ['bigint', [0, 1, -1, 255, 256, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, LARGE, -LARGE]],
  ['bigint', [192_000n, 0n, BigInt(LARGE), null, -5n]],
  ['integer', [0, 1, -1, 200, 65_536, 2 ** 31 - 1, -(2 ** 31), null]],
  ['boolean', [true, false, null, true]],
] satisfies [Parameters<typeof binaryArray>[0], Values][])(
  '%s: the server reads what was written',
  async (type, values) => {
    const text = `{${values.map((value) => (typeof value === 'boolean' ? String(value)[0] : (value ?? 'NULL'))).join(',')}}`;
    expect(
      await readBack(
        type,
        binaryArray<Values[number]>(type, values, (value) => value),
      ),
    ).toBe(text);
  },
);

test('times are read to the millisecond', async () => {
  const text = `{${TIMES_MS.map((timeMs) => `"${new Date(timeMs).toISOString()}"`).join(',')},NULL}`;
  const binary = binaryArray('timestamptz', [...TIMES_MS, null], (timeMs) => timeMs);
  expect(await readBack('timestamptz', binary)).toBe(await readBack('timestamptz', text));
});

test('what has no exact form is left to the text', () => {
  for (const value of [2n ** 53n, 2n ** 63n, Number.NaN, 0.5, Number.POSITIVE_INFINITY]) {
    expect(binaryArray('bigint', [1, value], (each) => each)).toBeNull();
  }
  for (const value of [2 ** 31, -(2 ** 31) - 1]) expect(binaryArray('integer', [value], (each) => each)).toBeNull();
  expect(['bigint', 'timestamptz', 'text', 'jsonb', 'toString'].map(hasBinaryForm)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
