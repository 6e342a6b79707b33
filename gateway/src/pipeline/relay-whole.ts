// Brings a whole answer to the client: meter it, settle it, and only then show it, with the cost it was charged.

import { EVENTS_TYPE } from '../canonical/content.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendBytes } from '../http/respond.ts';
import { sendEvents } from '../http/sse.ts';
import { assert } from '../platform/assert.ts';
import type { WholeAnswer } from './attempt-whole.ts';
import { bill } from './bill.ts';
import type { Call } from './call.ts';
import type { Completion, Ending } from './completion.ts';
import { renderContext } from './open-pipe.ts';

export type WholeParts = Readonly<{
  exchange: Exchange;
  call: Call;
  answer: WholeAnswer;
  ending: Ending;
  completion: Completion;
}>;

export async function relayWhole(parts: WholeParts): Promise<void> {
  const { exchange, call, answer, completion } = parts;
  const ending = { ...parts.ending, finishReason: answer.finishReason };
  const billed = await bill({ call, completion, ending, usage: answer.usage });
  const context = renderContext(call, ending.candidate.model);
  const { dialect } = call;
  assert(dialect.render !== undefined, `${dialect.operation} has no whole answers`);
  const content = await dialect.render(answer.answer, context, billed);
  if (content.type === EVENTS_TYPE) sendEvents(exchange, content.body);
  else sendBytes(exchange, 200, content);
}
