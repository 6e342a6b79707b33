// A Responses body as turns that may be left out. Calls, outputs and thinking are items beside the messages here, and a
// provider refuses thinking whose next item is missing.

import { type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import type { Turn, Turns } from '../../canonical/turns.ts';

/** For a body that has been checked. */
export function readResponsesTurns(body: JsonObject): Turns {
  const { input } = body;
  const isList = Array.isArray(input);
  const items: readonly unknown[] = isList ? input : [{ role: 'user', content: input }];
  return {
    list: items.map(readTurn),
    frame: [body.instructions, body.tools, body.text],
    // A single text is one turn, the first and the last, so nothing can be left out.
    keep: (indexes) => (isList ? { ...body, input: items.filter((_, index) => indexes.has(index)) } : body),
  };
}

function readTurn(item: unknown): Turn {
  const { type, role, call_id: callId } = objectOrEmpty(item);
  const isMessage = type === undefined || type === null || type === 'message';
  const speaker = isMessage ? roleOf(role) : roleOfKind(String(type));
  const ids = !isMessage && typeof callId === 'string' ? [callId] : [];
  return {
    role: speaker,
    calls: speaker === 'assistant' ? ids : [],
    answers: speaker === 'tool' ? ids : [],
    leadsToNext: type === 'reasoning',
    content: item,
  };
}

function roleOf(role: unknown): Turn['role'] {
  return role === 'assistant' || role === 'user' ? role : 'system';
}

/** An item that is no message, no thinking and no call may be needed by the rest, so it stays like an instruction. */
function roleOfKind(type: string): Turn['role'] {
  if (type.endsWith('_output')) return 'tool';
  return type === 'reasoning' || type.endsWith('_call') ? 'assistant' : 'system';
}
