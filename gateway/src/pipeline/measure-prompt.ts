// A conversation taken apart and measured entry by entry, whichever dialect it came in. It costs time in proportion to
// the prompt, so it is only done where the estimate that parsing made leaves something open.

import type { ConversationFormat } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { Turns } from '../canonical/turns.ts';
import { readChatTurns } from '../dialects/chat/drop-middle.ts';
import { readMessagesTurns } from '../dialects/messages/drop-middle.ts';
import { readResponsesTurns } from '../dialects/responses/drop-middle.ts';
import { type Count, roughCount, totalOf } from '../modules/tokens/count.ts';
import { measureEach, measureFrame } from '../modules/tokens/measure.ts';
import type { Prompt } from '../modules/tokens/middle-out.ts';

const turnReaders: Readonly<Record<ConversationFormat, (body: JsonObject) => Turns>> = {
  chat: readChatTurns,
  responses: readResponsesTurns,
  messages: readMessagesTurns,
  // Its body is that of a chat from the parser on.
  completions: readChatTurns,
};

export function readTurns({ format, body }: ConversationRequest): Turns {
  return turnReaders[format](body);
}

export async function measurePrompt({ list, frame }: Turns): Promise<Prompt> {
  const measures = await measureEach(list.map(({ content }) => content));
  return { turns: list, measures, frame: measureFrame(frame) };
}

export function roughTotal({ frame, measures }: Pick<Prompt, 'frame' | 'measures'>): Count {
  return totalOf([frame, ...measures].map(roughCount));
}
