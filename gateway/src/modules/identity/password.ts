// Passwords are kept as scrypt hashes that carry their own parameters, so that the cost can be raised later without
// making the old ones unreadable. Few are computed at a time: each takes 32 MB and one of the four threads that also
// write the settlement journal.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../errors/api-error.ts';

const COST = 32_768;
const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const RUNNING_MAX = 2;
/** About ten seconds of work; whoever comes later is better told so. */
const WAITING_MAX = 200;
const RETRY_AFTER_SECONDS = 5;

type ScryptInput = Readonly<{
  password: string;
  salt: Buffer;
  cost: number;
  blockSize: number;
  parallelization: number;
}>;

let running = 0;
const waiting: (() => void)[] = [];

async function derive(input: ScryptInput): Promise<Buffer> {
  if (running >= RUNNING_MAX) await queue();
  else running += 1;
  try {
    return await computeHash(input);
  } finally {
    // The place passes straight to the next in line, so that nobody who comes meanwhile takes it.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function queue(): Promise<void> {
  if (waiting.length >= WAITING_MAX) {
    const words = 'Too many people are signing in at the moment. Try again shortly.';
    throw new ApiError('http_503', words, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function computeHash({ password, salt, cost, blockSize, parallelization }: ScryptInput): Promise<Buffer> {
  // Node refuses what needs more than 32 MB unless told otherwise, and these parameters need exactly that.
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive({ password, salt, cost: COST, blockSize: BLOCK_SIZE, parallelization: PARALLELIZATION });
  return ['scrypt', COST, BLOCK_SIZE, PARALLELIZATION, salt.toString('base64'), hash.toString('base64')].join('$');
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, expected] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || expected === undefined) return false;
  const hash = await derive({
    password,
    salt: Buffer.from(salt, 'base64'),
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  });
  const expectedHash = Buffer.from(expected, 'base64');
  return expectedHash.length === hash.length && timingSafeEqual(hash, expectedHash);
}
