// Signatures of thinking blocks. As in the real API, a block that comes back must have the signature it was given, so
// that a gateway that drops or edits either is found out.

import { createHash } from 'node:crypto';
import { type JsonObject, objectsIn, stringAt } from '../../json.ts';

export function signThinking(thinking: string): string {
  return createHash('sha512').update(`tollgate-simulator:${thinking}`).digest('base64');
}

export function redactThinking(thinking: string): string {
  return Buffer.from(`${signThinking(thinking)}`).toString('base64');
}

/** Where the first thinking block with a wrong signature is, worded like the real API's messages. */
export function findForgedThinking(messages: readonly JsonObject[]): string | undefined {
  for (const [messageIndex, message] of messages.entries()) {
    for (const [blockIndex, block] of objectsIn(message.content).entries()) {
      if (block.type !== 'thinking') continue;
      const expected = signThinking(stringAt(block, 'thinking') ?? '');
      if (block.signature !== expected) return `messages.${messageIndex}.content.${blockIndex}`;
    }
  }
  return undefined;
}
