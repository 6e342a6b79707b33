// Requests to a sign-in provider. Its answer is not trusted: it must be small, JSON, and in time, or it counts as none.

import { request } from 'undici';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 262_144;

/** The provider failed; its answer goes to the log only. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

type FetchCall = Readonly<{
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
}>;

export async function fetchJson({ method, url, headers, form }: FetchCall): Promise<unknown> {
  const { host } = new URL(url);
  try {
    const answer = await request(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'tollgate',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: form === undefined ? null : new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(answer.body);
    if (answer.statusCode !== 200) throw new ProviderError(`${host} answered with status ${answer.statusCode}`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new ProviderError(`${host} could not be asked`, { cause: error });
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new ProviderError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
