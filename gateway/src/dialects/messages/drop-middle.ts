// A Messages body as turns that may be left out. Tool results are in user messages here; such a message is not the
// user's own, and belongs to the message that made the calls.

import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../../canonical/json.ts';
import type { Turn, Turns } from '../../canonical/turns.ts';

/** For a body that has been checked. */
export function readMessagesTurns(body: JsonObject): Turns {
  const messages = listOrEmpty(body.messages);
  return {
    list: messages.map(readTurn),
    frame: [body.system, body.tools, body.output_config, body.output_format],
    keep: (indexes) => ({ ...body, messages: messages.filter((_, index) => indexes.has(index)) }),
  };
}

function readTurn(message: unknown): Turn {
  const { role, content } = objectOrEmpty(message);
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const answers = idsIn(blocks, 'tool_result', 'tool_use_id');
  return {
    role: answers.length > 0 ? 'tool' : roleOf(role),
    calls: idsIn(blocks, 'tool_use', 'id'),
    answers,
    leadsToNext: false,
    content: message,
  };
}

function roleOf(role: unknown): Turn['role'] {
  return role === 'assistant' || role === 'user' ? role : 'system';
}

function idsIn(blocks: readonly JsonObject[], type: string, member: string): readonly string[] {
  return blocks.flatMap((block) => {
    const id = block.type === type ? block[member] : null;
    return typeof id === 'string' ? [id] : [];
  });
}
