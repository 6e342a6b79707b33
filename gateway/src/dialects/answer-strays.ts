// An answer of the client's own format goes out as it came where no rule finds anything, with members that nobody here
// knows: what was spoken beside its sound, a second choice, what a vendor adds. Their texts are read too; where one must
// not be said, the answer is written anew, without it.

import type { Format } from '../canonical/format.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../canonical/json.ts';
import { isPicture, isWordless } from './map-strays.ts';

/** What an answer is, whose it is, why it ended, and what it has used. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['id', 'object', 'type', 'role', 'created', 'model', 'provider', 'usage', 'system_fingerprint', 'service_tier'],
  ...['stop_reason', 'stop_sequence', 'stop_details', 'container', 'context_management', 'input_transformations'],
]);
/** Words of the format itself. */
const KEYWORDS: ReadonlySet<string> = new Set(['object', 'finish_reason', 'native_finish_reason', 'caller']);
const QUOTING: ReadonlySet<string> = new Set(['citations', 'annotations']);

export type Strays = Readonly<{
  texts: readonly string[];
  /** They repeat what the model said, and tell what it might have said. */
  hasLogprobs: boolean;
}>;

/** The texts in an answer of this format that are not among the known ones, each once. */
export function straysIn(json: JsonObject, format: Format, known: ReadonlySet<string>): Strays {
  const texts = new Set<string>();
  let hasLogprobs = false;
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value !== '' && !known.has(value)) texts.add(value);
    } else if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isJsonObject(value)) {
      for (const name in value) {
        if (name === 'logprobs') hasLogprobs ||= isJsonObject(value[name]) || Array.isArray(value[name]);
        visitMember(value[name], name, value);
      }
    }
  };
  const visitMember = (value: unknown, name: string, holder: JsonObject): void => {
    // Sources have titles and quotations, or are addresses alone.
    if (QUOTING.has(name)) visit(listOrEmpty(value).filter(isJsonObject));
    else if (mayHoldWords(name, holder)) visit(value);
  };
  // A response repeats its request beside the output.
  if (format === 'responses') visit(json.output);
  else for (const name in json) if (!ENVELOPE.has(name)) visitMember(json[name], name, json);
  return { texts: [...texts], hasLogprobs };
}

function mayHoldWords(name: string, holder: JsonObject): boolean {
  if (KEYWORDS.has(name) || isPicture(name, holder)) return false;
  // An object here, and read as the text that it is in other formats.
  if (name === 'input' && holder.type === 'tool_use') return false;
  return !isWordless(name);
}
