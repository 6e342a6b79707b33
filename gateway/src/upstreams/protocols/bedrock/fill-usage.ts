// The counts of a streamed answer of Anthropic's models. They stand in the usual events, and a second time in the last
// one, in the service's own words: what the usual events have left out is taken from there, because it is charged.

import { isJsonObject, isSet, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';

const METRICS = 'amazon-bedrock-invocationMetrics';
/** The name of a count in the format, and in the service's words. Neither includes the cache in the prompt. */
const COUNTS = [
  ['input_tokens', 'inputTokenCount'],
  ['output_tokens', 'outputTokenCount'],
  ['cache_read_input_tokens', 'cacheReadInputTokenCount'],
  ['cache_creation_input_tokens', 'cacheWriteInputTokenCount'],
] as const;

export class UsageGaps {
  readonly #stated = new Set<string>();

  /** What an event states. The output that the first one states is not the whole. */
  note({ message, usage }: JsonObject): void {
    const { output_tokens: _begun, ...atStart } = objectOrEmpty(objectOrEmpty(message).usage);
    const record = isJsonObject(usage) ? usage : atStart;
    for (const [name] of COUNTS) if (isSet(record[name])) this.#stated.add(name);
  }

  get hasNone(): boolean {
    return this.#stated.size === COUNTS.length;
  }

  /** What only the last event states; null where there is nothing. */
  missingIn(last: JsonObject): JsonObject | null {
    const metrics = objectOrEmpty(last[METRICS]);
    const usage = objectOrEmpty(last.usage);
    const missing = COUNTS.flatMap(([name, metric]) => {
      const count = usage[name] ?? metrics[metric];
      return this.#stated.has(name) || !isSet(count) || count === 0 ? [] : [[name, count] as const];
    });
    return missing.length === 0 ? null : Object.fromEntries(missing);
  }
}
