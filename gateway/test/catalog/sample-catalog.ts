// Snapshots for tests, from the YAML an operator would write: through the same parsing and validation as a real file.

import type { JsonObject } from '../../src/canonical/json.ts';
import type { ConfigDocument } from '../../src/contract/config.ts';
import { ConfigDocumentError } from '../../src/modules/catalog/config-problem.ts';
import { readFamilies } from '../../src/modules/catalog/families.ts';
import { interpolate, parseDocumentText, type Variables } from '../../src/modules/catalog/parse-document.ts';
import { buildSnapshot, type CatalogSnapshot, type ModelHistory } from '../../src/modules/catalog/snapshot.ts';
import { validateDocument } from '../../src/modules/catalog/validate-document.ts';

const families = readFamilies();

export function documentOf(written: string | JsonObject, variables: Variables = {}): ConfigDocument {
  const document = typeof written === 'string' ? parseDocumentText(written) : written;
  const rules = { familyNames: families.names(), lateVariables: {} };
  return validateDocument(interpolate(document, variables, new Set()), rules);
}

export function problemsOf(text: string, variables: Variables = {}): readonly string[] {
  try {
    documentOf(text, variables);
  } catch (error) {
    if (error instanceof ConfigDocumentError) return error.problems;
    throw error;
  }
  return [];
}

export function snapshotOf(text: string, history: readonly ModelHistory[] = []): CatalogSnapshot {
  return buildSnapshot({ revision: 1n, document: documentOf(text), history, families, lateVariables: {} });
}

/** Two vendors with one model name in common, loose spellings, every suffix, and a wildcard for one vendor only. */
export const SAMPLE = `
providers:
  openai: { protocol: openai, base_url: http://127.0.0.1:1/v1/, api_key: sk-openai }
  anthropic: { protocol: anthropic, base_url: http://127.0.0.1:2/v1, api_key: sk-ant, data_collection: deny }
  other: { protocol: openai, base_url: http://127.0.0.1:3/v1, responses: true }
models:
  openai/gpt-x:
    name: GPT X
    context_length: 128000
    max_completion_tokens: 16384
    input_modalities: [text, image]
    supported_parameters: [tools, response_format]
    pricing: { prompt: "0.15", completion: "0.60", cache_read: "0.075" }
    pricing_tiers: [{ above_prompt_tokens: 200000, prompt: "0.0000003", completion: "0.0000012" }]
    free: { requests_per_minute: 5, requests_per_day: 50 }
    routes: [{ provider: openai, upstream_model: gpt-x-upstream }, { provider: other, pricing: { prompt: "0.1" } }]
  openai/gpt-x:extended: { pricing: { prompt: "1", completion: "2" }, routes: [{ provider: openai }] }
  anthropic/claude-sonnet-4.5: { pricing: { prompt: "3", completion: "15" }, routes: [{ provider: anthropic }] }
  openai/common: { pricing: { prompt: "1", completion: "1" } }
  other/common: { pricing: { prompt: "1", completion: "1" } }
  other/solo-1.0: { pricing: { prompt: "1", completion: "1" } }
  other/twin-1.0: { pricing: { prompt: "1", completion: "1" } }
  other/twin-1-0: { pricing: { prompt: "2", completion: "2" } }
  other/unpriced: { routes: [{ provider: other }] }
  other/embedder: { output_modalities: [embeddings], pricing: { prompt: "0.02" } }
  other/painter: { output_modalities: [image, text], pricing: { prompt: "1", completion: "2", image: "0.04" } }
  other/old: { pricing: { prompt: "1", completion: "1" }, deprecation_date: 2026-03-31 }
routes: { "openai/*": { provider: openai } }
default_provider: other
`;
