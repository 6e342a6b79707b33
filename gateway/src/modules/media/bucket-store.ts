// Pictures in a bucket of an S3 service, which any number of gateways can share. The operator chose the service, so it
// is called directly and not through the guarded client.

import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { MediaBucket } from '../../platform/storage-settings.ts';
import { digestIn, isMediaName, type MediaStore, type OpenMedia, type StoredMedia } from './media-store.ts';

type Ask = Readonly<{
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  key?: string;
  query?: string;
  bytes?: Buffer;
  /** The digest of the bytes, in hexadecimal digits. */
  digest?: string;
}>;

const ANSWER_TIMEOUT_MS = 20_000;
/** A bound on one run; the next one begins where it ended. */
const SWEEP_PAGES_MAX = 20;
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export class BucketStore implements MediaStore {
  readonly #options: MediaBucket;
  readonly #agent = new Agent({ connections: 32, headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS });

  /** The last key that was looked at; null: the next run begins with the first. */
  #sweptTo: string | null = null;

  constructor(options: MediaBucket) {
    this.#options = options;
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const answer = await this.#ask({ method: 'PUT', key: name, bytes, digest: digestIn(name) });
    await answer.body.dump();
    this.#expect(answer.statusCode, [200, 201, 204]);
  }

  async find(name: string): Promise<StoredMedia | null> {
    const answer = await this.#ask({ method: 'HEAD', key: name });
    await answer.body.dump();
    if (answer.statusCode === 404) return null;
    this.#expect(answer.statusCode, [200]);
    return { byteLength: lengthOf(answer) };
  }

  async open(name: string): Promise<OpenMedia | null> {
    const answer = await this.#ask({ method: 'GET', key: name });
    if (answer.statusCode === 200) return { byteLength: lengthOf(answer), body: answer.body as Readable };
    await answer.body.dump();
    this.#expect(answer.statusCode, [404]);
    return null;
  }

  async sweep(beforeMs: number): Promise<number> {
    let swept = 0;
    let from: Place = { after: this.#sweptTo };
    for (let page = 0; page < SWEEP_PAGES_MAX; page += 1) {
      const { items, next, lastKey } = await this.#list(from);
      for (const { name, storedAtMs } of items) {
        if (storedAtMs >= beforeMs) continue;
        const answer = await this.#ask({ method: 'DELETE', key: name });
        await answer.body.dump();
        this.#expect(answer.statusCode, [200, 204, 404]);
        swept += 1;
      }
      this.#sweptTo = next === null ? null : lastKey;
      if (next === null) break;
      from = { continuation: next };
    }
    return swept;
  }

  async #list(from: Place): Promise<Listing> {
    const query = new URLSearchParams({ 'list-type': '2', prefix: this.#options.prefix });
    if ('continuation' in from) query.set('continuation-token', from.continuation);
    else if (from.after !== null) query.set('start-after', from.after);
    const answer = await this.#ask({ method: 'GET', query: query.toString() });
    const xml = await answer.body.text();
    this.#expect(answer.statusCode, [200]);
    return readListing(xml, this.#options.prefix);
  }

  async #ask({ method, key, query, bytes, digest = EMPTY_DIGEST }: Ask): Promise<Dispatcher.ResponseData> {
    const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = this.#options;
    const path = key === undefined ? '' : `/${prefix}${key}`;
    const signer = new AwsV4Signer({
      method,
      url: `${endpoint}/${bucket}${path}${query === undefined ? '' : `?${query}`}`,
      headers: { 'x-amz-content-sha256': digest },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
    });
    const { url, headers } = await signer.sign();
    return request(url, {
      method,
      headers: Object.fromEntries(headers),
      body: bytes ?? null,
      dispatcher: this.#agent,
    });
  }

  #expect(status: number, expected: readonly number[]): void {
    if (!expected.includes(status)) throw new Error(`the bucket ${this.#options.bucket} answered ${status}`);
  }
}

function lengthOf({ headers }: Dispatcher.ResponseData): number {
  const length = Number(headers['content-length']);
  if (!Number.isSafeInteger(length) || length < 0) throw new Error('the bucket did not say how long a picture is');
  return length;
}

type Place = Readonly<{ continuation: string }> | Readonly<{ after: string | null }>;

type Listing = Readonly<{
  items: readonly Readonly<{ name: string; storedAtMs: number }>[];
  next: string | null;
  /** Also where it is not ours. */
  lastKey: string | null;
}>;

/** Only objects with a name of our form are ours, whatever else is in the bucket. */
function readListing(xml: string, prefix: string): Listing {
  const entries = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => entry);
  const items = entries.flatMap((entry) => {
    const key = tagOf(entry, 'Key') ?? '';
    const name = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    const storedAtMs = Date.parse(tagOf(entry, 'LastModified') ?? '');
    return isMediaName(name) && !Number.isNaN(storedAtMs) ? [{ name, storedAtMs }] : [];
  });
  return { items, next: tagOf(xml, 'NextContinuationToken'), lastKey: tagOf(entries.at(-1) ?? '', 'Key') };
}

function tagOf(xml: string, name: string): string | null {
  const value = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return value === undefined ? null : value.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
}
