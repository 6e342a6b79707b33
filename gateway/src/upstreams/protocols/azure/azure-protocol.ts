// The protocol of Azure OpenAI: that of `openai` with another key header and other addresses. With an `api_version` a
// model is a deployment in the path; without one the deployment is named in the body, at the address for all versions.

import type { Candidate } from '../../../canonical/model.ts';
import type { Operation, RequestOf } from '../../../canonical/operation.ts';
import type { Codec, Codecs, Protocol } from '../../protocol.ts';
import { openAiProtocol } from '../openai/openai-protocol.ts';
import { responsesCodec } from '../openai-responses/responses-codec.ts';

/** An address that already states where the interface begins. */
const STATED = /\/openai(?:\/v1)?$/;
/** Versions that belong to the address for all versions. */
const UNDATED = new Set(['v1', 'preview', 'latest']);

function placeOf({ provider, upstreamModel }: Candidate, path: string, hasDeployments: boolean): string {
  const version = provider.settings?.api_version;
  const base = STATED.exec(provider.baseUrl)?.[0] ?? '';
  const isDated = version !== undefined && !UNDATED.has(version) && hasDeployments && !base.endsWith('/v1');
  const query = version === undefined || (!isDated && !UNDATED.has(version)) ? '' : `?api-version=${version}`;
  if (!isDated) return `${'/openai/v1'.slice(base.length)}${path}${query}`;
  return `${'/openai'.slice(base.length)}/deployments/${encodeURIComponent(upstreamModel)}${path}${query}`;
}

function moved<Name extends Operation>(codec: Codec<Name>, hasDeployments = true): Codec<Name> {
  return {
    ...codec,
    encode(request: RequestOf<Name>, candidate: Candidate) {
      const call = codec.encode(request, candidate);
      return { ...call, path: placeOf(candidate, call.path, hasDeployments) };
    },
  };
}

const { chat, embeddings, images, speech, transcription } = openAiProtocol.codecs;

const codecs: Codecs = {
  ...(chat === undefined ? {} : { chat: moved<'chat'>(chat) }),
  ...(embeddings === undefined ? {} : { embeddings: moved<'embeddings'>(embeddings) }),
  ...(images === undefined ? {} : { images: moved<'images'>(images) }),
  ...(speech === undefined ? {} : { speech: moved<'speech'>(speech) }),
  ...(transcription === undefined ? {} : { transcription: moved<'transcription'>(transcription) }),
};

const other = openAiProtocol.otherCodecs ?? {};

export const azureProtocol: Protocol = {
  authorize: (_, { apiKey }) => ['api-key', apiKey],
  codecs,
  otherCodecs: {
    ...(other.chat === undefined ? {} : { chat: moved<'chat'>(other.chat) }),
    ...(other.images === undefined ? {} : { images: moved<'images'>(other.images) }),
    ...(other.transcription === undefined ? {} : { transcription: moved<'transcription'>(other.transcription) }),
  },
  // The Responses interface has no deployments in its path: the model is named in the body.
  responsesCodec: moved<'chat'>(responsesCodec, false),
};
