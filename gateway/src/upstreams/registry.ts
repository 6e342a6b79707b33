// Every protocol that the gateway speaks, by its name in catalog/protocols.json. A provider whose protocol is missing
// here has no candidates.

import type { Provider } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { Codec, CodecRoute, Protocol, Way } from './protocol.ts';
import { anthropicProtocol } from './protocols/anthropic/anthropic-protocol.ts';
import { azureProtocol } from './protocols/azure/azure-protocol.ts';
import { bedrockProtocol } from './protocols/bedrock/bedrock-protocol.ts';
import { cohereProtocol } from './protocols/cohere/cohere-protocol.ts';
import { geminiProtocol } from './protocols/gemini/gemini-protocol.ts';
import { openAiProtocol } from './protocols/openai/openai-protocol.ts';
import { isLongFormFirst } from './protocols/openai/transcription-codec.ts';
import { canSay } from './protocols/openai-responses/responses-codec.ts';
import { vertexProtocol } from './protocols/vertex/vertex-protocol.ts';
import type { CallAuthorization } from './transport/authorization.ts';

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ['openai', openAiProtocol],
  ['anthropic', anthropicProtocol],
  ['gemini', geminiProtocol],
  ['vertex', vertexProtocol],
  ['bedrock', bedrockProtocol],
  ['azure', azureProtocol],
  ['cohere', cohereProtocol],
]);

export function protocolOf(name: string): Protocol | undefined {
  return protocols.get(name);
}

export function registeredNames(): readonly string[] {
  return [...protocols.keys()];
}

/** How calls to the provider are signed. */
export function authorizationOf(provider: Provider): CallAuthorization {
  const protocol = protocols.get(provider.protocol);
  return {
    sign: (call, token) => protocol?.authorize(call, provider, token) ?? [],
    grant: protocol?.grant?.(provider) ?? null,
  };
}

/** Undefined when the provider cannot be asked this. */
export function codecOf(route: CodecRoute, request: CanonicalRequest): Codec | undefined {
  const protocol = protocols.get(route.provider.protocol);
  if (protocol === undefined) return undefined;
  if (request.format === 'completions') {
    if (route.provider.speaksCompletions && protocol.completionsCodec) return protocol.completionsCodec(request);
    if (request.nativeMember !== undefined) return undefined;
  }
  if (route.provider.speaksResponses && protocol.responsesCodec !== undefined && canSay(request, route.upstreamModel)) {
    return protocol.responsesCodec;
  }
  if (request.operation === 'chat' && request.isCompaction) return undefined;
  if (route.way === 'other') return protocol.otherCodecs?.[request.operation];
  const codecs = protocol.codecsOf?.(route, request) ?? protocol.codecs;
  return codecs[request.operation];
}

const ONE_WAY: readonly Way[] = ['usual'];
const BOTH_WAYS: readonly Way[] = ['usual', 'other'];
const OTHER_FIRST: readonly Way[] = ['other', 'usual'];

/** A model without text output makes pictures in a conversation whether or not they were asked for. */
export function isForPictures({ outputModalities }: CodecRoute['model'], request: CanonicalRequest): boolean {
  return request.needs.imageOutput || (request.operation === 'chat' && !outputModalities.includes('text'));
}

/**
 * The ways to ask for pictures, the likelier first: a model without text output is rarely served in conversations. For
 * a transcription whose usual form states no length, the long form first. One way for everything else.
 */
export function waysOf(route: CodecRoute, request: CanonicalRequest): readonly Way[] {
  if (request.operation === 'transcription') return isLongFormFirst(route, request) ? OTHER_FIRST : ONE_WAY;
  if (!isForPictures(route.model, request)) return ONE_WAY;
  const other = protocols.get(route.provider.protocol)?.otherCodecs?.[request.operation];
  if (other === undefined) return ONE_WAY;
  const isMute = !route.model.outputModalities.includes('text');
  return request.operation === 'chat' && isMute ? OTHER_FIRST : BOTH_WAYS;
}
