// POST /rerank, and Cohere's /v2/rerank. A document is more relevant the more words of the query it has; of two with
// the same number the earlier comes first.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { isObject, type JsonObject, numberAt, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const DOCUMENTS_PER_SEARCH = 100;

type Read = Readonly<{ query: string; documents: readonly string[]; resultsMax: number }>;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

function textOf(document: unknown): string | undefined {
  if (typeof document === 'string') return document;
  return isObject(document) ? stringAt(document, 'text') : undefined;
}

function read(body: JsonObject): Read | undefined {
  const query = stringAt(body, 'query');
  const sent: readonly unknown[] = Array.isArray(body.documents) ? body.documents : [];
  const documents = sent.map(textOf).filter((text) => text !== undefined);
  if (query === undefined || documents.length === 0 || documents.length !== sent.length) return undefined;
  return { query, documents, resultsMax: Math.min(numberAt(body, 'top_n') ?? documents.length, documents.length) };
}

function rank({ query, documents, resultsMax }: Read): readonly JsonObject[] {
  const asked = new Set(wordsOf(query));
  const scores = documents.map((text, index) => {
    const shared = wordsOf(text).filter((word) => asked.has(word)).length;
    return { index, relevance_score: shared / (asked.size + 1) };
  });
  return scores.sort((left, right) => right.relevance_score - left.relevance_score).slice(0, resultsMax);
}

/** `usageOf` gives the usage in the form's own place. */
const operation = (path: string, usageOf: (tokens: number, searches: number, call: Call) => JsonObject): Operation => ({
  method: 'POST',
  path,
  protocol: openaiProtocol,
  answer(call: Call): Answer {
    const { body, commands } = call;
    const request = read(body);
    if (request === undefined) return openaiProtocol.error(400, 'query and documents are required');
    const queryTokens = countTokens(request.query);
    const counted = request.documents.reduce((sum, text) => sum + countTokens(text) + queryTokens, 0);
    const searches = Math.ceil(request.documents.length / DOCUMENTS_PER_SEARCH);
    const used = usageOf(commands.promptTokens ?? counted, searches, call);
    return jsonAnswer(200, { id: `rerank-${call.sequence}`, results: rank(request), ...used });
  },
});

export const rerankOperations: readonly Operation[] = [
  operation('/rerank', (tokens, _, { body, commands }) => ({
    model: stringAt(body, 'model'),
    usage: bendUsage({ prompt_tokens: tokens, total_tokens: tokens }, commands.usage),
  })),
  operation('/v2/rerank', (_, searches) => ({
    meta: { api_version: { version: '2' }, billed_units: { search_units: searches } },
  })),
];
