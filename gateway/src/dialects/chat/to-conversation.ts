import type { Conversation } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';

export function toConversation(_body: JsonObject): Conversation {
  return { messages: [], tools: [], sampling: {} };
}
