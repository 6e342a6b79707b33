// Brings a whole answer to the client: meter it, settle it, and only then show it, with the cost it was charged.

import { zeroUsage } from '../canonical/usage.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendBytes } from '../http/respond.ts';
import { usdNumber } from '../platform/money.ts';
import type { WholeAnswer } from './attempt-whole.ts';
import type { Call } from './call.ts';
import type { Completion, Ending } from './completion.ts';
import { meter } from './meter.ts';
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
  const metered = meter(answer.usage, {
    request: call.request,
    candidate: ending.candidate,
    reservedNanoUsd: completion.reservation.amountNanoUsd(),
  });
  let costUsd = 0;
  if (metered === null) completion.release(ending);
  else costUsd = usdNumber(await completion.settle(metered, ending));
  const context = renderContext(call, ending.candidate.model.id);
  const bill = { usage: metered?.usage ?? zeroUsage, costUsd };
  const { dialect } = call;
  const text =
    answer.codec.format === dialect.format
      ? dialect.renderSame(answer.json, context, bill)
      : dialect.renderAnswer(answer.codec.toAnswer(answer.json), context, bill);
  sendBytes(exchange, 200, { type: 'application/json; charset=utf-8', body: text });
}
