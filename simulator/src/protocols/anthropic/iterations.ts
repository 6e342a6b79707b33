// The turns of one answer in its usage record, where there was more than one: a summary of the conversation, an
// adviser's answer, or another model in place of the called one. The record's totals leave out the first two, as the
// real API's do.

import type { Commands } from '../../command-rules.ts';
import type { JsonObject } from '../../json.ts';

type Figures = Readonly<{ promptTokens: number; completionTokens: number }>;

function turnJson(type: string, { promptTokens, completionTokens }: Figures, model?: string): JsonObject {
  return {
    type,
    ...(model !== undefined && { model }),
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
}

/** Empty where the answer took one turn. */
export function iterationsField(commands: Commands, totals: JsonObject): JsonObject {
  const { summary, advice, substitute } = commands;
  if (summary === undefined && advice === undefined && substitute === undefined) return {};
  const iterations: JsonObject[] = [];
  if (summary !== undefined) iterations.push(turnJson('compaction', summary));
  if (advice !== undefined) iterations.push(turnJson('advisor_message', advice, advice.model));
  if (substitute === undefined) iterations.push({ type: 'message', ...totals });
  else {
    iterations.push({ type: 'message', ...totals, output_tokens: 0 });
    iterations.push({ type: 'fallback_message', ...totals, model: substitute });
  }
  return { iterations };
}
