// Texts under names that the walk over a conversation does not know: members of another dialect, of a vendor, or newer
// than this file. They are sent on, so reviewers read them too, after the words that they stand beside: between those
// they would part what a model reads in one piece. Only names that never hold words are passed over.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { PassageOrigin, TextVisitor } from '../canonical/passage.ts';
import { mapItems } from './map-leaves.ts';

/** What a thing is, where it is, and its encoded bytes. */
const WORDLESS: ReadonlySet<string> = new Set([
  ...['type', 'role', 'name', 'namespace', 'status', 'phase', 'format', 'detail', 'media_type', 'mime_type', 'syntax'],
  ...['url', 'image_url', 'video_url', 'file_url', 'file_data', 'data', 'input_audio', 'b64_json'],
  ...['cache_control', 'citations', 'annotations', 'logprobs', 'extra_content'],
]);

/** Members of a body that set how it is answered, or accompany it. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...['model', 'models', 'provider', 'route', 'transforms', 'preset', 'modalities', 'include', 'truncation', 'usage'],
  ...['metadata', 'client_metadata', 'trace', 'user', 'safety_identifier', 'prompt_cache_key', 'service_tier', 'speed'],
  ...['prompt_cache_retention', 'tool_choice', 'reasoning', 'reasoning_effort', 'thinking', 'verbosity', 'betas'],
  ...['stream_options', 'stop', 'stop_sequences', 'logit_bias', 'image_config', 'audio', 'completion', 'inference_geo'],
]);

/** Names of things, and proofs that must come back unchanged. */
const OPAQUE = /(?:^|_)(?:id|ids|signature)$|[a-z]Ids?$|^encrypted_/;

export const isWordless = (name: string): boolean => WORDLESS.has(name) || OPAQUE.test(name);

/** Whether the walk knows a member: its texts have been read, or will be. */
type IsKnown = (name: string) => boolean;

/** For the body's own members. */
export function mapStrayFields(body: JsonObject, isKnown: IsKnown, visitor: TextVisitor): JsonObject {
  let mapped = body;
  for (const name in body) {
    const value = body[name];
    if (!mayHoldText(value) || isKnown(name) || SETTINGS.has(name) || isWordless(name)) continue;
    const changed = mapStrange(value, visitor, 'user');
    if (changed !== value) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

type MapStrays = (value: unknown, visitor: TextVisitor, origin: PassageOrigin) => unknown;

/** For values whose known members have been read; of some of these every text has been. */
export function createStraysMapper(isKnown: IsKnown, isWhollyKnown: IsKnown): MapStrays {
  const mapStrays: MapStrays = (value, visitor, origin) => {
    if (Array.isArray(value)) return mapItems(value, mapStrays, visitor, origin);
    if (!isJsonObject(value)) return value;
    let mapped = value;
    for (const name in value) {
      const member = value[name];
      if (!mayHoldText(member) || isWhollyKnown(name) || isWordless(name) || isPicture(name, value)) continue;
      const changed = isKnown(name) ? mapStrays(member, visitor, origin) : mapStrange(member, visitor, origin);
      if (changed !== member) mapped = { ...mapped, [name]: changed };
    }
    return mapped;
  };
  return mapStrays;
}

const mayHoldText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

/** Every text, each a passage of its own. */
function mapStrange(value: unknown, visitor: TextVisitor, origin: PassageOrigin): unknown {
  if (typeof value === 'string') {
    visitor.begin(origin);
    return visitor.replace(value);
  }
  if (Array.isArray(value)) return mapItems(value, mapStrange, visitor, origin);
  if (!isJsonObject(value)) return value;
  let mapped = value;
  for (const name in value) {
    if (isWordless(name)) continue;
    const changed = mapStrange(value[name], visitor, origin);
    if (changed !== value[name]) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

export const isPicture = (name: string, { type }: JsonObject): boolean =>
  name === 'result' && type === 'image_generation_call';
