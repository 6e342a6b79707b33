// What stays the same in a conversation from call to call: the session that its client named, or else its beginning. It
// finds the provider that has the prompt's cache, so two conversations with the same beginning may share it.

import { createHash } from 'node:crypto';
import { isFilled, isJsonObject, type JsonObject } from '../canonical/json.ts';

type ConversationKey = Readonly<{ digest: string; isSession: boolean }>;

/** The beginning of each piece is enough to tell conversations apart, and bounds the work for prompts of megabytes. */
const PIECE_LENGTH_MAX = 1_024;
const PIECES_MAX = 4;
const SESSION_LENGTH_MAX = 256;
const DEPTH_MAX = 8;

/** For a checked body of any dialect. The body cannot be recovered from the key. */
export function conversationKey(body: JsonObject): ConversationKey {
  const session = body.session_id ?? body.prompt_cache_key;
  if (isFilled(session)) {
    return { digest: digestOf(`session ${session.slice(0, SESSION_LENGTH_MAX)}`), isSession: true };
  }
  const pieces = [body.system ?? body.instructions, ...untilFirstUser(body.messages ?? body.input)];
  return { digest: digestOf(`opening ${pieces.map(beginningOf).join('\n')}`), isSession: false };
}

/** The instructions and the user's first message; everything after that grows with the conversation. */
function untilFirstUser(turns: unknown): readonly unknown[] {
  if (!Array.isArray(turns)) return [turns];
  const first = turns.findIndex((turn) => isJsonObject(turn) && turn.role === 'user');
  const before = turns.slice(0, first === -1 ? 1 : Math.min(first, PIECES_MAX));
  return first === -1 ? before : [...before, turns[first]];
}

function beginningOf(piece: unknown): string {
  const beginning: Beginning = { text: '' };
  append(beginning, piece, 0);
  return beginning.text;
}

type Beginning = { text: string };

function append(beginning: Beginning, value: unknown, depth: number): void {
  const room = PIECE_LENGTH_MAX - beginning.text.length;
  if (room <= 0 || depth > DEPTH_MAX) return;
  if (typeof value === 'string') beginning.text += `${value.slice(0, room)}\n`;
  else if (Array.isArray(value)) for (const item of value) append(beginning, item, depth + 1);
  else if (isJsonObject(value)) {
    for (const key in value) {
      // A cache marker moves along the conversation from call to call.
      if (key !== 'cache_control') append(beginning, value[key], depth + 1);
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
