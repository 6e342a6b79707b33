// Writes a call of generateContent, or of its stream. No client speaks this format, so every body is written from the
// conversation; settings that only this API knows are taken unchanged from the caller's body.

import type { Message, ToolResultPart } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate, Provider } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import type { TextCall } from '../../protocol.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { encodeFormatWords, encodeGenerationConfig, encodeTools } from './encode-config.ts';
import { encodeContents } from './encode-contents.ts';
import { isNewer, isStrict } from './model-version.ts';

/** The path of a model at a server, and what may be sent there. */
export type GeminiPlace = Readonly<{
  pathOf(candidate: Candidate): string;
  /** Of the earlier models; all later ones want ids back. */
  takesIds: boolean;
}>;

/** Models are also named by a path. */
const MODEL_PREFIX = /^models\//;

export const geminiPlace: GeminiPlace = {
  pathOf: ({ upstreamModel }) => `/models/${encodeURIComponent(upstreamModel.replace(MODEL_PREFIX, ''))}`,
  takesIds: true,
};

export function encodeRequest(place: GeminiPlace) {
  return (request: ConversationRequest, candidate: Candidate): TextCall => {
    const verb = request.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const body = encodeBody(request, candidate, place);
    return { path: `${place.pathOf(candidate)}:${verb}`, body: stringifyExactJson(body) };
  };
}

function encodeBody(request: ConversationRequest, candidate: Candidate, { takesIds }: GeminiPlace): JsonObject {
  const conversation = request.toConversation();
  const { upstreamModel } = candidate;
  const wantsSignatures = isNewer(upstreamModel);
  const wantsPictureSignatures = wantsSignatures && candidate.model.outputModalities.includes('image');
  if (candidate.own === undefined) refuseStoredFiles(conversation.messages, candidate.provider);
  const { system, contents } = encodeContents(conversation.messages, {
    takesIds: takesIds || wantsSignatures,
    wantsSignatures,
    wantsPictureSignatures,
    wantsLastWord: isStrict(upstreamModel),
  });
  const instructions = [...system, ...encodeFormatWords(conversation, upstreamModel)];
  return {
    contents: refuseNothing(contents),
    ...(instructions.length === 0 ? {} : { systemInstruction: { parts: instructions } }),
    ...encodeTools(conversation, request),
    generationConfig: encodeGenerationConfig(conversation, request, candidate),
    ...ownWishes(request.body, candidate),
  };
}

const FILES_HOST = 'generativelanguage.googleapis.com';

/** An address that cannot be parsed here might still be read there, so it counts as one. */
function isAt(url: string, { baseUrl }: Provider): boolean {
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return hostname === FILES_HOST || hostname === new URL(baseUrl).hostname;
}

/** An address at the provider itself names a file in its account, which all callers share. */
function refuseStoredFiles(messages: readonly Message[], provider: Provider): void {
  for (const message of messages) {
    for (const part of partsOf(message)) {
      if (!('source' in part) || part.source.kind !== 'url' || !isAt(part.source.url, provider)) continue;
      const words = 'Files that are kept at the provider cannot be named by their address. Send the data itself.';
      throw new ApiError('unsupported_param', words);
    }
  }
}

/** Also the pictures of an answer, and what tools have returned. */
function partsOf(message: Message): readonly (Message['parts'][number] | ToolResultPart['content'][number])[] {
  if (message.role === 'tool') return message.parts.flatMap(({ content }) => content);
  return message.role === 'assistant' ? [...message.parts, ...(message.pictures ?? [])] : message.parts;
}

/** Cached content belongs to the account, which all callers share unless it is their own. */
function ownWishes(body: JsonObject, { own }: Candidate): JsonObject {
  const safetySettings = body.safety_settings ?? body.safetySettings;
  const cachedContent = own === undefined ? undefined : (body.cached_content ?? body.cachedContent);
  return {
    ...(Array.isArray(safetySettings) ? { safetySettings } : {}),
    ...(typeof cachedContent === 'string' ? { cachedContent } : {}),
  };
}
