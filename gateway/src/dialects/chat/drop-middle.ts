// A chat body as turns that may be left out. A message is a turn; calls and their results are matched by id.

import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../../canonical/json.ts';
import type { Turn, Turns } from '../../canonical/turns.ts';

/** For a body that has been checked. */
export function readChatTurns(body: JsonObject): Turns {
  const messages = listOrEmpty(body.messages);
  return {
    list: messages.map(readTurn),
    frame: [body.tools, body.functions, body.response_format],
    keep: (indexes) => ({ ...body, messages: messages.filter((_, index) => indexes.has(index)) }),
  };
}

function readTurn(message: unknown): Turn {
  const { role, tool_calls: calls, tool_call_id: answered } = objectOrEmpty(message);
  return {
    role: roleOf(role),
    calls: Array.isArray(calls) ? calls.flatMap((call) => idOf(isJsonObject(call) ? call.id : null)) : [],
    answers: role === 'tool' ? idOf(answered) : [],
    leadsToNext: false,
    content: message,
  };
}

function roleOf(role: unknown): Turn['role'] {
  if (role === 'assistant' || role === 'tool' || role === 'user') return role;
  return 'system';
}

function idOf(id: unknown): readonly string[] {
  return typeof id === 'string' ? [id] : [];
}
