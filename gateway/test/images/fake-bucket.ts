// A service that speaks as much S3 as is needed to keep pictures, and insists on right signatures, which it computes by
// itself.

import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/with+signs', region: 'eu-test-1' };

type StoredObject = { bytes: Buffer; storedAtMs: number };

export type FakeBucket = Readonly<{
  url: string;
  objects: Map<string, StoredObject>;
  /** What was wrong with requests. */
  complaints: string[];
  /** While true, everything fails. */
  setDown(isDown: boolean): void;
  close(): Promise<void>;
}>;

const PAGE = 2;

const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Null when the signature is right. */
function complaintOf(request: IncomingMessage, body: Buffer): string | null {
  const { headers, method = '', url = '' } = request;
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': bodyHash } = headers;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (match === null) return `no signature: ${authorization}`;
  const [, accessKeyId, day = '', region = '', signedHeaders = '', signature] = match;
  if (accessKeyId !== CREDENTIALS.accessKeyId || region !== CREDENTIALS.region) return 'another key or region';
  if (bodyHash !== hash(body)) return 'another body';
  const { pathname, searchParams } = new URL(url, 'http://x');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const canonicalHeaders = signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, pathname, query, canonicalHeaders.join(''), signedHeaders, bodyHash].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, hash(canonical)].join('\n');
  const dayKey = hmac(`AWS4${CREDENTIALS.secretAccessKey}`, day);
  const signingKey = hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request');
  return hmac(signingKey, toSign).toString('hex') === signature ? null : 'a wrong signature';
}

function listing(objects: Map<string, StoredObject>, query: URLSearchParams): string {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const rest = keys.filter((key) => key > after);
  const page = rest.slice(0, PAGE);
  const entries = page.map((key) => {
    const stored = new Date(objects.get(key)?.storedAtMs ?? 0).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${stored}</LastModified><Size>1</Size></Contents>`;
  });
  const next = rest.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><Name>pictures</Name>${next}${entries.join('')}</ListBucketResult>`;
}

export async function startFakeBucket(): Promise<FakeBucket> {
  const objects = new Map<string, StoredObject>();
  const complaints: string[] = [];
  let isDown = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const complaint = complaintOf(request, body);
    if (complaint !== null) complaints.push(complaint);
    const status = isDown ? 503 : complaint === null ? 200 : 403;
    if (status !== 200) {
      response.writeHead(status).end('<Error/>');
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const key = pathname.replace(/^\/pictures\/?/, '');
    if (key === '') {
      response.end(listing(objects, searchParams));
      return;
    }
    const found = objects.get(key);
    if (request.method === 'PUT') objects.set(key, { bytes: body, storedAtMs: Date.now() });
    if (request.method === 'DELETE') objects.delete(key);
    if (request.method === 'PUT' || request.method === 'DELETE') response.writeHead(204).end();
    else if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': found.bytes.length }).end(found.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    complaints,
    setDown: (down) => {
      isDown = down;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
