// Checks that a report of leaked keys comes from the scanner that the operator trusts. Its public keys are fetched from
// the address that the operator named, and strangers cannot cause more fetches by making up key names.

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

export type ScannerSignature = Readonly<{
  /** Rejects when the keys are needed and cannot be fetched: the scanner then sends its report again. */
  isGenuine(body: Buffer, signed: Readonly<{ keyId: string; signature: string }>): Promise<boolean>;
}>;

type ScannerSignatureOptions = Readonly<{
  outbound: Pick<Outbound, 'request'>;
  keysUrl: string;
  clock: Clock;
}>;

/** Withdrawn keys stay trusted for this long. */
const KEPT_MS = 3_600_000;
const BETWEEN_FETCHES_MS = 10_000;
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 262_144;

type Keys = ReadonlyMap<string, KeyObject>;

export function createScannerSignature({ outbound, keysUrl, clock }: ScannerSignatureOptions): ScannerSignature {
  let known: Readonly<{ keys: Keys; atMs: number }> | null = null;
  let fetching: Promise<Keys> | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  const fetchKeys = async (): Promise<Keys> => {
    triedAtMs = clock.nowMs();
    const { status, body } = await outbound.request({
      url: keysUrl,
      purpose: { allowHttp: true, allowHighPorts: true },
      headers: ['accept', 'application/json'],
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: BYTES_MAX,
    });
    if (status !== 200) throw new Error(`the address of the scanner's keys answered ${status}`);
    const keys = readKeys(body.toString('utf8'));
    known = { keys, atMs: clock.nowMs() };
    return keys;
  };

  const keysFor = async (keyId: string): Promise<Keys> => {
    const nowMs = clock.nowMs();
    if (known !== null && nowMs - known.atMs < KEPT_MS) {
      if (known.keys.has(keyId) || nowMs - triedAtMs < BETWEEN_FETCHES_MS) return known.keys;
    } else if (fetching === null && nowMs - triedAtMs < BETWEEN_FETCHES_MS) {
      throw new Error("the scanner's keys could not be fetched a moment ago");
    }
    fetching ??= fetchKeys().finally(() => {
      fetching = null;
    });
    return fetching;
  };

  return {
    async isGenuine(body, { keyId, signature }) {
      const key = (await keysFor(keyId)).get(keyId);
      return key !== undefined && verify('sha256', body, key, Buffer.from(signature, 'base64'));
    },
  };
}

type PublishedKeys = Readonly<{ public_keys: readonly Readonly<{ key_identifier: string; key: string }>[] }>;

/** Throws for anything but a list of keys on the curve of the scheme. */
function readKeys(text: string): Keys {
  const { public_keys: published } = JSON.parse(text) as PublishedKeys;
  return new Map(
    published.map(({ key_identifier: id, key }) => {
      const publicKey = createPublicKey(key);
      if (publicKey.asymmetricKeyType !== 'ec') throw new Error('a key of the scanner is of another kind');
      return [id, publicKey];
    }),
  );
}
