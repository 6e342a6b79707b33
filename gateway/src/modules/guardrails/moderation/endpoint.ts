// The moderator that an operator connects: any service with a moderations endpoint of the usual form. It has one time
// budget for everything; the operator decides what happens when it does not answer.

import { request as send } from 'undici';
import { isJsonObject } from '../../../canonical/json.ts';
import { type Passage, passagesOf } from '../../../canonical/passage.ts';
import type { Moderator, Verdict } from './moderator.ts';

type EndpointSettings = Readonly<{
  baseUrl: string;
  apiKey: string;
  model: string | null;
  timeoutMs: number;
}>;

/** Says only that there is no verdict; what came instead goes to the log. */
export class NoVerdictError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NoVerdictError';
  }
}

const INPUT_LENGTH_MAX = 16_384;
const INPUTS_PER_CALL_MAX = 32;
const CALLS_AT_ONCE = 4;
const ANSWER_BYTES_MAX = 4_194_304;

type Input = Readonly<{ passage: number; text: string }>;

export function createEndpointModerator(settings: EndpointSettings): Moderator {
  return async (request) => {
    const inputs = inputsOf(passagesOf(request));
    const signal = AbortSignal.timeout(settings.timeoutMs);
    const batches: (readonly Input[])[] = [];
    for (let start = 0; start < inputs.length; start += INPUTS_PER_CALL_MAX) {
      batches.push(inputs.slice(start, start + INPUTS_PER_CALL_MAX));
    }
    for (let start = 0; start < batches.length; start += CALLS_AT_ONCE) {
      const calls = batches.slice(start, start + CALLS_AT_ONCE).map((batch) => ask(settings, batch, signal));
      const verdict = (await Promise.all(calls)).find((answer) => answer !== null);
      if (verdict !== undefined && verdict !== null) return verdict;
    }
    return null;
  };
}

/** Long texts are cut into pieces; the parts of a passage are one text. */
function inputsOf(passages: readonly Passage[]): readonly Input[] {
  const inputs: Input[] = [];
  for (const [passage, { parts }] of passages.entries()) {
    const text = parts.join('');
    for (let start = 0; start < text.length; start += INPUT_LENGTH_MAX) {
      inputs.push({ passage, text: text.slice(start, start + INPUT_LENGTH_MAX) });
    }
  }
  return inputs;
}

async function ask(
  { baseUrl, apiKey, model }: EndpointSettings,
  batch: readonly Input[],
  signal: AbortSignal,
): Promise<Verdict | null> {
  const input = batch.map(({ text }) => text);
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const body = JSON.stringify(model === null ? { input } : { model, input });
  let answer: unknown;
  try {
    const response = await send(`${baseUrl}/moderations`, { method: 'POST', headers, body, signal });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new NoVerdictError(`moderation answered with status ${response.statusCode}`);
    }
    answer = JSON.parse(await readText(response.body));
  } catch (error) {
    throw error instanceof NoVerdictError ? error : new NoVerdictError('moderation did not answer', error);
  }
  return readAnswer(answer, batch);
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new NoVerdictError('moderation answered with too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One result for each input; when one is missing, none counts. */
function readAnswer(answer: unknown, batch: readonly Input[]): Verdict | null {
  const results: unknown = isJsonObject(answer) ? answer.results : undefined;
  if (!Array.isArray(results) || results.length !== batch.length || !results.every(isResult)) {
    throw new NoVerdictError('moderation answered with something else than results');
  }
  const categories = new Set<string>();
  const passages = new Set<number>();
  for (const [index, result] of results.entries()) {
    if (result.flagged !== true) continue;
    passages.add(batch[index]?.passage ?? 0);
    for (const [name, isIn] of Object.entries(result.categories ?? {})) if (isIn === true) categories.add(name);
  }
  if (passages.size === 0) return null;
  return { categories: categories.size === 0 ? ['other'] : [...categories].sort(), passages: [...passages] };
}

type Result = Readonly<{ flagged: boolean; categories?: Readonly<Record<string, unknown>> }>;

function isResult(result: unknown): result is Result {
  if (!isJsonObject(result) || typeof result.flagged !== 'boolean') return false;
  return result.categories === undefined || result.categories === null || isJsonObject(result.categories);
}
