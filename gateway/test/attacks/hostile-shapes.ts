// `npm run abuse:shapes`: bodies that are allowed and have as much of one thing as fits, read and then written for every
// protocol, each in one go as the gateway does it. It tells which took longest, in milliseconds of computing of this
// process, and fails on an error that is not a refusal.

import type { Candidate } from '../../src/canonical/model.ts';
import type { ConversationRequest } from '../../src/canonical/request.ts';
import { parseChatRequest } from '../../src/dialects/chat/parse-request.ts';
import { parseMessagesRequest } from '../../src/dialects/messages/parse-request.ts';
import { parseResponsesRequest } from '../../src/dialects/responses/parse-request.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import { scanJson } from '../../src/http/json-guard.ts';
import { codecOf, registeredNames } from '../../src/upstreams/registry.ts';
import { SHAPES, type Shape } from './shapes.ts';

const TOLD = 12;
const READERS = { chat: parseChatRequest, responses: parseResponsesRequest, messages: parseMessagesRequest } as const;
const UPSTREAM_MODELS: Readonly<Record<string, string>> = { vertex: 'gemini-x', bedrock: 'amazon.nova-x' };

function candidateAt(protocol: string, speaksResponses: boolean): Candidate {
  const provider = {
    id: 'p',
    protocol,
    baseUrl: 'https://p.test/v1',
    speaksResponses,
    project: 'p',
    location: 'global',
  };
  const model = { id: 'a/b', completionTokensMax: null, supportedParameters: null, traits: {} };
  const upstreamModel = UPSTREAM_MODELS[protocol] ?? 'x';
  return { provider, model, upstreamModel, operation: 'chat' } as unknown as Candidate;
}

const candidates: readonly (readonly [name: string, candidate: Candidate])[] = [
  ...registeredNames().map((name) => [name, candidateAt(name, false)] as const),
  ['responses', candidateAt('openai', true)],
];

const computedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const measured: { name: string; tookMs: number }[] = [];

function measure<Result>(name: string, work: () => Result): Result | null {
  const beganMs = computedMs();
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw new Error(name, { cause: error });
  } finally {
    measured.push({ name, tookMs: computedMs() - beganMs });
  }
}

async function tryShape(dialect: keyof typeof READERS, name: string, shape: Shape): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ model: 'a/b', max_tokens: 9, ...shape }));
  scanJson(bytes);
  const body = JSON.parse(bytes.toString());
  const title = `${dialect}, ${name}`;
  const request: ConversationRequest | null = measure(`${title}: read`, () => READERS[dialect](body));
  if (request === null) return;
  measure(`${title}: reviewed`, () => request.visitTexts({ begin: () => {}, replace: (part) => part }));
  for (const [protocol, candidate] of candidates) {
    measure(`${title}: written for ${protocol}`, () => codecOf(candidate, request)?.encode(request, candidate));
  }
}

for (const dialect of ['chat', 'responses', 'messages'] as const) {
  for (const [name, shape] of Object.entries(SHAPES[dialect])) await tryShape(dialect, name, shape);
}
const dearest = measured.toSorted((one, other) => other.tookMs - one.tookMs).slice(0, TOLD);
console.log(`${measured.length} steps; the dearest:`);
for (const { name, tookMs } of dearest) console.log(`${tookMs.toFixed(0).padStart(6)} ms  ${name}`);
