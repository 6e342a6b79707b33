// The response object, whole in an answer and again in several events of a stream. It is built as text, from pieces
// that are written once.

import type { FinishReason } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { systemClock } from '../../platform/clock.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { echoRequest } from './echo-request.ts';
import { responseIdOf } from './response-id.ts';

export type Failure = Readonly<{ code: string; message: string }>;

type ResponseOutcome = Readonly<{
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  incompleteReason?: 'max_output_tokens' | 'content_filter';
  error?: Failure;
}>;

export const MODEL_FAILURE: Failure = { code: 'server_error', message: 'The upstream model failed while answering.' };

export function outcomeOf(reason: FinishReason): ResponseOutcome {
  switch (reason) {
    case 'length':
      return { status: 'incomplete', incompleteReason: 'max_output_tokens' };
    case 'content_filter':
      return { status: 'incomplete', incompleteReason: 'content_filter' };
    case 'error':
      return { status: 'failed', error: MODEL_FAILURE };
    default:
      return { status: 'completed' };
  }
}

export type ResponseWriter = (
  outcome: ResponseOutcome,
  output: readonly JsonObject[],
  usage: JsonObject | null,
) => string;

/** Writes the response of one call, as often as its stream needs it. */
export function createResponseWriter(context: RenderContext): ResponseWriter {
  const { createdSeconds } = context;
  const id = JSON.stringify(responseIdOf(context.id));
  const model = JSON.stringify(context.modelId);
  const echo = echoRequest(context.request.body);
  return (outcome, output, usage) => {
    const { status, incompleteReason, error = null } = outcome;
    const completedAt = status === 'completed' ? completionSeconds(createdSeconds) : null;
    const details = incompleteReason === undefined ? null : { reason: incompleteReason };
    return (
      `{"id":${id},"object":"response","created_at":${createdSeconds},"status":"${status}",` +
      `"completed_at":${completedAt},"error":${JSON.stringify(error)},` +
      `"incomplete_details":${JSON.stringify(details)},"model":${model},"output":${JSON.stringify(output)},` +
      `${echo},"usage":${JSON.stringify(usage)}}`
    );
  };
}

/** The time of completion, which is never before the creation. */
export function completionSeconds(createdSeconds: number): number {
  return Math.max(createdSeconds, Math.floor(systemClock.nowMs() / 1000));
}
