// A server that speaks S3, with one bucket, over https. It stores with s3rver, which does not verify signatures of this
// version; in front of it Amazon's own library signs each request again, and requests with another signature are
// refused.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Json } from '../harness.ts';
import { selfSigned } from '../videos/self-signed.ts';
import { FEED_ADDRESS, FEED_HOST } from './feed-receiver.ts';

type Store = Readonly<{ run(): Promise<{ port: number }>; close(): Promise<void> }>;

const require = createRequire(import.meta.url);
const Server = require('s3rver') as new (options: object) => Store;

/** What s3rver knows. */
export const KNOWN_KEY = 'S3RVER';
const REGION = 'eu-1';

class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  digest = async (): Promise<Uint8Array> => this.#hash.digest();
  reset(): void {}
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/[^,]+, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
const CLOCK_MS = 15 * 60_000;

/**
 * A bucket signs the name of an object with everything encoded but letters, digits and `-._~/`, however it was sent.
 */
const canonical = (path: string): string =>
  decodeURIComponent(path).replace(/[^\w.~/-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** Null when the signature is right; otherwise the code that Amazon answers with. */
async function problemOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Promise<string | null> {
  const [, accessKeyId, names = '', signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) return 'AccessDenied';
  if (accessKeyId !== KNOWN_KEY) return 'InvalidAccessKeyId';
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return 'AccessDenied';
  if (createHash('sha256').update(body).digest('hex') !== headers['x-amz-content-sha256'])
    return 'XAmzContentSHA256Mismatch';
  const [, ...digits] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const [year = 0, month = 0, ...rest] = digits.map(Number);
  const signingDate = new Date(Date.UTC(year, month - 1, ...rest));
  if (!(Math.abs(signingDate.getTime() - Date.now()) < CLOCK_MS)) return 'RequestTimeTooSkewed';
  const signer = new SignatureV4({
    credentials: { accessKeyId: KNOWN_KEY, secretAccessKey: KNOWN_KEY },
    region: REGION,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const sent = Object.fromEntries(signed.map((name) => [name, String(headers[name])]));
  const request = { method, protocol: 'https:', hostname: FEED_HOST, path: canonical(url), headers: sent, body };
  const again = await signer.sign(request, { signingDate, signableHeaders: new Set(signed) });
  return String(again.headers.authorization).endsWith(`Signature=${signature}`) ? null : 'SignatureDoesNotMatch';
}

export type BucketServer = Readonly<{
  port: number;
  /** What was answered, in order: the status, and the code of a refusal. */
  answers: string[];
  /**
   * Null: the object is stored and the client gets an answer. `hang`: it is stored and the client gets no answer.
   * Otherwise the status of the refusal.
   */
  behave(as: 'hang' | number | null): void;
  /** Names of the objects. */
  objects(): Promise<readonly string[]>;
  lines(): Promise<readonly Json[]>;
  close(): Promise<void>;
}>;

/** Objects are files below the folder. */
export async function startBucketServer(directory: string, bucket: string): Promise<BucketServer> {
  const configureBuckets = [{ name: bucket, configs: [] }];
  const store = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets,
  });
  const { port: storePort } = await store.run();
  const answers: string[] = [];
  let behaviour: 'hang' | number | null = null;
  const end = (response: ServerResponse, status: number, code: string): void => {
    answers.push(code === '' ? String(status) : `${status} ${code}`);
    response.writeHead(status).end(code === '' ? '' : `<Error><Code>${code}</Code></Error>`);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const problem = await problemOf(request, body);
    if (problem !== null) return end(response, 403, problem);
    if (typeof behaviour === 'number') return end(response, behaviour, 'SlowDown');
    const { 'content-length': _length, connection: _connection, host: _host, ...headers } = request.headers;
    const stored = await fetch(`http://127.0.0.1:${storePort}${request.url}`, {
      method: request.method ?? '',
      headers: headers as Record<string, string>,
      body: new Uint8Array(body),
    });
    if (behaviour === 'hang') answers.push('stored, unheard');
    else end(response, stored.status, '');
  };
  const server = createServer(selfSigned(FEED_HOST, FEED_ADDRESS), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks)).catch((error: unknown) => end(response, 500, String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, FEED_ADDRESS, resolve));
  const objects = async (): Promise<readonly string[]> =>
    (await readdir(join(directory, bucket), { recursive: true }))
      .filter((name) => name.endsWith('._S3rver_object'))
      .map((name) => name.slice(0, -'._S3rver_object'.length));
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    behave(as) {
      behaviour = as;
    },
    objects,
    async lines() {
      const texts = (await objects()).map(async (name) =>
        gunzipSync(await readFile(join(directory, bucket, `${name}._S3rver_object`))).toString(),
      );
      return (await Promise.all(texts))
        .flatMap((text) => text.trim().split('\n'))
        .map((line) => JSON.parse(line) as Json);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
    },
  };
}
