// Every protocol the gateway speaks. A provider of a protocol that is missing here offers no candidates.

import type { ProtocolName, Provider } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { Codec, Protocol } from './protocol.ts';
import { anthropicProtocol } from './protocols/anthropic/anthropic-protocol.ts';
import { openAiProtocol } from './protocols/openai/openai-protocol.ts';

const protocols: Readonly<Partial<Record<ProtocolName, Protocol>>> = {
  openai: openAiProtocol,
  anthropic: anthropicProtocol,
};

export function protocolOf(name: ProtocolName): Protocol | undefined {
  return protocols[name];
}

/** Undefined when the provider cannot be asked this at all. */
export function codecOf(
  provider: Provider,
  request: Pick<CanonicalRequest, 'operation' | 'format'>,
): Codec | undefined {
  const protocol = protocols[provider.protocol];
  if (protocol === undefined) return undefined;
  if (request.format === 'responses' && provider.speaksResponses && protocol.responsesCodec !== undefined) {
    return protocol.responsesCodec;
  }
  return protocol.codecs[request.operation];
}
