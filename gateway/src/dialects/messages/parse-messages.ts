// Checks the system prompt and the conversation, and measures both. Agents put messages of the role `system` between
// the others; they are treated like the system prompt.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { jsonTokens, MESSAGE_OVERHEAD_TOKENS, textTokens } from '../estimate-prompt.ts';
import { refuseField, refuseMissing } from '../refuse.ts';
import {
  ASSISTANT_BLOCKS,
  type BlockReaders,
  type BlockTally,
  readBlocks,
  SYSTEM_BLOCKS,
  USER_BLOCKS,
} from './parse-blocks.ts';

const MESSAGES_MAX = 10_000;

const readersByRole: ReadonlyMap<unknown, BlockReaders> = new Map([
  ['user', USER_BLOCKS],
  ['assistant', ASSISTANT_BLOCKS],
  ['system', SYSTEM_BLOCKS],
]);

export function parseSystem(system: unknown, tally: BlockTally): void {
  if (system === undefined || system === null) return;
  if (typeof system === 'string') tally.tokens += textTokens(system);
  else if (Array.isArray(system)) readBlocks(system, SYSTEM_BLOCKS, () => 'system', tally);
  else throw refuseField('system', 'must be a string or an array of text blocks');
}

/** Fills the tally and returns how many messages there are. */
export function parseMessages(messages: unknown, tally: BlockTally): number {
  if (messages === undefined || messages === null) throw refuseMissing('messages');
  if (!Array.isArray(messages)) throw refuseField('messages', 'must be an array');
  if (messages.length === 0) throw new ApiError('missing_required_field', 'messages must hold at least one message.');
  if (messages.length > MESSAGES_MAX) throw refuseField('messages', `may hold at most ${MESSAGES_MAX} messages`);
  for (let index = 0; index < messages.length; index += 1) {
    const message: unknown = messages[index];
    if (!isJsonObject(message)) throw refuseField(`messages[${index}]`, 'must be an object');
    parseMessage(message, index, tally);
  }
  return messages.length;
}

function parseMessage(message: JsonObject, index: number, tally: BlockTally): void {
  const { role, content } = message;
  const readers = readersByRole.get(role);
  if (readers === undefined) {
    if (role === undefined) throw refuseMissing(`messages[${index}].role`);
    throw refuseField(`messages[${index}].role`, 'must be user, assistant or system');
  }
  if (typeof content === 'string') tally.tokens += textTokens(content);
  else if (Array.isArray(content)) readBlocks(content, readers, () => `messages[${index}].content`, tally);
  else if (content === undefined || content === null) throw refuseMissing(`messages[${index}].content`);
  else throw refuseField(`messages[${index}].content`, 'must be a string or an array of content blocks');
  tally.tokens += MESSAGE_OVERHEAD_TOKENS;
  for (const key in message) {
    if (key !== 'role' && key !== 'content') tally.tokens += jsonTokens(message[key]);
  }
}
