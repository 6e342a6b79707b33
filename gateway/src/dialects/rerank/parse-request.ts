// Turns the body of a rerank call into the request that the rest of the gateway works with. Documents are texts or
// objects with one; fields that only some providers know are left to them.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { DOCUMENTS_PER_SEARCH, type RerankRequest } from '../../canonical/operation.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import { textTokens } from '../estimate-prompt.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

const DOCUMENTS_MAX = 2_048;
/** Providers that charge by the search count a longer document, with its query, as several. */
const TOKENS_PER_DOCUMENT = 500;

export function parseRerankRequest(body: JsonObject): RerankRequest {
  // Scores of different models cannot be compared, and callers do not expect another model here, so there are no
  // fallback models.
  const [modelName] = parseModelNames(body.model, undefined);
  const query = readText(body.query, 'query');
  const documents = readDocuments(body.documents);
  const queryTokens = textTokens(query);
  const tokens = documents.map((text) => textTokens(text) + queryTokens);
  const counted = tokens.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / TOKENS_PER_DOCUMENT)), 0);
  return {
    operation: 'rerank',
    format: 'rerank',
    modelName,
    fallbackModelNames: [],
    isStream: false,
    promptTokensEstimate: Math.ceil(tokens.reduce((sum, length) => sum + length, 0)),
    outputTokensMax: 0,
    choiceCount: 1,
    unitsMax: { searches: Math.ceil(counted / DOCUMENTS_PER_SEARCH) },
    needs: NO_NEEDS,
    preferences: parseProviderPreferences(body),
    query,
    documents,
    resultsMax: readResultsMax(body.top_n, documents.length),
    showsDocuments: readFlag(body.return_documents),
    body,
    visitTexts(visitor) {
      visitPassage(visitor, userPassage(query));
      for (const text of documents) visitPassage(visitor, userPassage(text));
    },
    withTexts: (replace) =>
      parseRerankRequest({ ...body, query: replace(query), documents: documents.map((text) => replace(text)) }),
  };
}

function readText(value: unknown, path: string): string {
  if (value === undefined || value === null) throw refuseMissing(path);
  if (isFilled(value)) return value;
  throw refuseField(path, 'must be a string that is not empty');
}

function readDocuments(documents: unknown): readonly string[] {
  if (documents === undefined || documents === null) throw refuseMissing('documents');
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > DOCUMENTS_MAX) {
    throw refuseField('documents', `must be an array of 1 to ${DOCUMENTS_MAX} documents`);
  }
  return documents.map((document: unknown, index) => {
    const text = isJsonObject(document) ? document.text : document;
    if (typeof text === 'string') return text;
    throw refuseField(`documents[${index}]`, 'must be a string or an object with a text');
  });
}

/** A larger number means all of them. */
function readResultsMax(value: unknown, count: number): number {
  if (value === undefined || value === null) return count;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return Math.min(value, count);
  throw refuseField('top_n', 'must be a whole number from 1');
}

function readFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw refuseField('return_documents', 'must be true or false');
}
