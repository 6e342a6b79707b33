// Turns the body of a moderations call into the request that the rest of the gateway works with. A list of texts is
// several inputs; a list of parts is one, because a picture is judged together with its words.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ModerationRequest } from '../../canonical/operation.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import { mapInputTexts } from '../embeddings/parse-request.ts';
import { imageTokens, textTokens } from '../estimate-prompt.ts';
import { readImageUrl } from '../media-address.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

/** The model where none is named: the gateway's own policy. */
export const BUILT_IN = 'builtin';

const INPUTS_MAX = 1_024;
const PARTS_MAX = 32;

type Inputs = Readonly<{ inputTexts: ModerationRequest['inputTexts']; pictures: readonly string[] }>;

export function parseModerationRequest(body: JsonObject): ModerationRequest {
  const [modelName] = parseModelNames(body.model ?? BUILT_IN, undefined);
  const { inputTexts, pictures } = readInputs(body.input);
  const ofTexts = inputTexts.flat().reduce((sum, text) => sum + textTokens(text), 0);
  return {
    operation: 'moderation',
    format: 'moderation',
    modelName,
    fallbackModelNames: [],
    isStream: false,
    promptTokensEstimate: Math.ceil(pictures.reduce((sum, url) => sum + imageTokens(url), ofTexts)),
    outputTokensMax: 0,
    choiceCount: 1,
    unitsMax: { judged: inputTexts.length },
    needs: pictures.length > 0 ? { ...NO_NEEDS, imageInput: true } : NO_NEEDS,
    preferences: parseProviderPreferences(body),
    inputTexts,
    body,
    visitTexts(visitor) {
      for (const texts of inputTexts) visitPassage(visitor, userPassage(...texts));
    },
    withTexts: (replace) => parseModerationRequest({ ...body, input: mapInputTexts(body.input, replace) }),
  };
}

function readInputs(input: unknown): Inputs {
  if (input === undefined || input === null) throw refuseMissing('input');
  if (typeof input === 'string') return { inputTexts: [[input]], pictures: [] };
  if (!Array.isArray(input) || input.length === 0 || input.length > INPUTS_MAX) {
    throw refuseField('input', `must be a string or an array of 1 to ${INPUTS_MAX} entries`);
  }
  if (input.every((item) => typeof item === 'string')) return { inputTexts: input.map((text) => [text]), pictures: [] };
  return readParts(input);
}

function readParts(parts: readonly unknown[]): Inputs {
  if (parts.length > PARTS_MAX) throw refuseField('input', `may have at most ${PARTS_MAX} parts`);
  const texts: string[] = [];
  const pictures: string[] = [];
  for (const [index, part] of parts.entries()) {
    const path = `input[${index}]`;
    if (!isJsonObject(part)) throw refuseField(path, 'must be a string like the others, or an object like the others');
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text);
    else if (part.type === 'image_url') pictures.push(readImageUrl(part.image_url, path));
    else throw refuseField(path, 'must have the type text, with a text, or image_url');
  }
  return { inputTexts: [texts], pictures };
}
