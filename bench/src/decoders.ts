// `npm run bench:decoders`: what it costs to decode a piece of a stream, for each protocol of the gateway. The bytes
// are the simulator's own answers, in pieces like those of a socket.

import { startSimulator } from '@tollgate/simulator';
import { request } from 'undici';
import type { Candidate, Model, Provider } from '../../gateway/src/canonical/model.ts';
import { NO_PRICES } from '../../gateway/src/canonical/price.ts';
import type { ConfigDocument } from '../../gateway/src/contract/config.ts';
import { parseChatRequest } from '../../gateway/src/dialects/chat/parse-request.ts';
import { parseMessagesRequest } from '../../gateway/src/dialects/messages/parse-request.ts';
import { readFamilies } from '../../gateway/src/modules/catalog/families.ts';
import { buildSnapshot } from '../../gateway/src/modules/catalog/snapshot.ts';
import { codecOf } from '../../gateway/src/upstreams/registry.ts';
import { median } from './load/quantiles.ts';

const TOKENS = 2_000;
const PIECE_BYTES = 4_096;
const ROUNDS = 15;
const STREAMS_PER_ROUND = 20;

type Spoken = Readonly<{
  name: string;
  provider: Readonly<Record<string, string | boolean>> & Readonly<{ protocol: string }>;
  /** A prefix of the model's name that says whose model it is. */
  prefix?: string;
  /** The client speaks Anthropic's format, like the upstream. */
  isMessages?: true;
}>;

const spokenAt = (url: string): readonly Spoken[] => {
  const key = { api_key: 'bench' };
  // Nothing is signed here: the simulator takes any token.
  const cloud = { project: 'bench', location: 'global', credentials: '{"client_email":"a","private_key":"b"}' };
  const bedrock = { protocol: 'bedrock', base_url: url, region: 'us-east-1', ...key };
  const prefix = 'anthropic.';
  return [
    { name: 'openai', provider: { protocol: 'openai', base_url: `${url}/v1`, ...key } },
    { name: 'openai, responses', provider: { protocol: 'openai', base_url: `${url}/v1`, responses: true, ...key } },
    { name: 'anthropic', provider: { protocol: 'anthropic', base_url: `${url}/v1`, ...key } },
    { name: 'gemini', provider: { protocol: 'gemini', base_url: `${url}/v1beta`, ...key } },
    { name: 'vertex', provider: { protocol: 'vertex', base_url: url, ...cloud } },
    { name: 'vertex, claude', provider: { protocol: 'vertex', base_url: url, ...cloud }, prefix: 'anthropic/' },
    { name: 'bedrock', provider: bedrock },
    { name: 'bedrock, invoke', provider: bedrock, prefix, isMessages: true },
    { name: 'azure', provider: { protocol: 'azure', base_url: url, api_version: '2024-10-21', ...key } },
    { name: 'cohere', provider: { protocol: 'cohere', base_url: url, ...key } },
  ];
};

function candidateOf({ provider, prefix = '' }: Spoken): Candidate {
  const upstreamModel = prefix + MODEL;
  const routes = [{ provider: 'it', upstream_model: upstreamModel }];
  const entry = { pricing: { prompt: '1', completion: '1' }, routes };
  const document: ConfigDocument = { providers: { it: provider }, models: { 'bench/it': entry } };
  const families = readFamilies();
  const snapshot = buildSnapshot({ revision: 1n, document, history: [], families, lateVariables: {} });
  const model = snapshot.models[0] as Model;
  return {
    ...{ model, provider: snapshot.providers.get('it') as Provider, upstreamModel },
    ...{ prices: NO_PRICES, operation: 'chat' },
  };
}

const MODEL = `sim-tokens-100-${TOKENS}`;

/** As the upstream sends it, cut into pieces. */
async function recordStream(spoken: Spoken): Promise<Readonly<{ pieces: readonly Buffer[]; decode(): number }>> {
  const candidate = candidateOf(spoken);
  const parse = spoken.isMessages ? parseMessagesRequest : parseChatRequest;
  const messages = [{ role: 'user', content: 'Hello' }];
  const asked = parse({ model: 'bench/it', stream: true, max_tokens: 4 * TOKENS, messages });
  const codec = codecOf(candidate, asked);
  if (codec === undefined) throw new Error(`${spoken.name} has no conversations`);
  const { path, body } = codec.encode(asked, candidate);
  const headers = {
    authorization: 'Bearer bench',
    'x-api-key': 'bench',
    'x-goog-api-key': 'bench',
    'api-key': 'bench',
  };
  const answer = await request(candidate.provider.baseUrl + path, {
    ...{
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    },
    body: body as string,
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode !== 200) throw new Error(`${spoken.name} answered ${answer.statusCode}: ${bytes}`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return {
    pieces,
    decode() {
      const decoder = codec.createStreamDecoder?.();
      const reframer = codec.createReframer?.(asked) ?? null;
      if (decoder === undefined) throw new Error(`${spoken.name} has no streams`);
      let parts = 0;
      for (const piece of pieces) parts += decoder.push(reframer === null ? piece : reframer.push(piece)).length;
      return parts + decoder.end().length;
    },
  };
}

const simulator = await startSimulator();
try {
  process.stdout.write(`${TOKENS} tokens a stream; microseconds for each part that a client gets\n`);
  for (const spoken of spokenAt(simulator.url)) {
    const { pieces, decode } = await recordStream(spoken);
    const parts = decode();
    const rounds = Array.from({ length: ROUNDS }, () => {
      const startedMs = performance.now();
      for (let stream = 0; stream < STREAMS_PER_ROUND; stream += 1) decode();
      return ((performance.now() - startedMs) * 1_000) / STREAMS_PER_ROUND / parts;
    });
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const figures = `${median(rounds).toFixed(2).padStart(6)} µs, ${parts} parts, ${Math.round(bytes / 1_024)} KiB`;
    process.stdout.write(`${spoken.name.padEnd(20)} ${figures}\n`);
  }
} finally {
  await simulator.close();
}
