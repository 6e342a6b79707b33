// Every protocol the gateway speaks. A provider of a protocol that is missing here offers no candidates.

import type { ProtocolName } from '../canonical/model.ts';
import type { Protocol } from './protocol.ts';
import { openAiProtocol } from './protocols/openai/openai-protocol.ts';

const protocols: Readonly<Partial<Record<ProtocolName, Protocol>>> = {
  openai: openAiProtocol,
};

export function protocolOf(name: ProtocolName): Protocol | undefined {
  return protocols[name];
}
