// Reads a whole answer and checks that it is one, because an upstream that answers 200 may still have failed. The
// content of the choices is left as it came.

import { finishReasonOf, finishWordOf, isProvokedEnd } from '../../../canonical/finish-reason.ts';
import {
  isJsonObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  textOrEmpty,
  textOrNull,
} from '../../../canonical/json.ts';
import { saysSomething } from '../../../canonical/says-something.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statesError } from '../../../canonical/states-error.ts';
import { listsFinds, quotesSources, withSearchTrace, withStatedExtras } from '../../../canonical/usage.ts';
import { readJsonDocument } from '../../../platform/read-json-object.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer } from '../../read-answer.ts';
import { readUsage } from './convert-usage.ts';
import { failureInReport } from './failure-report.ts';

export function decodeChatResponse(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { json } = source;
  const { choices, error } = json;
  if (statesError(error) && !listOrEmpty(choices).some(isComplete)) {
    return failedAnswer(JSON.stringify(error), statedStatus(error));
  }
  if (!Array.isArray(choices) || choices.length === 0) {
    const failure = failureInReport(json);
    return failure === null ? malformedAnswer('no choices') : { kind: 'failure', failure };
  }
  if (!choices.every(isAnswered)) return malformedAnswer('a choice without a message');
  const [first] = choices as [JsonObject];
  if (choices.every(hasOnlyFailed)) {
    const isProvoked = choices.some((choice) => isProvokedEnd(choice.finish_reason, choice.native_finish_reason));
    const { error: stated = null } = first;
    return failedAnswer(JSON.stringify(stated), statedStatus(stated), isProvoked, readUsage(json.usage));
  }
  const finishReason = textOrNull(first.finish_reason);
  const isTraced = listsFinds(json) || choices.some((choice) => quotesSources(messageOf(choice as JsonObject)));
  const usage = withStatedExtras(withSearchTrace(readUsage(json.usage), isTraced), json);
  return { kind: 'answer', source, json: withChoiceErrors(json, choices), usage, finishReason };
}

/** An answer whose message a filter removed still counts, as long as it says why it ended. */
function isAnswered(choice: unknown): boolean {
  if (!isJsonObject(choice)) return false;
  return isJsonObject(choice.message) || (typeof choice.finish_reason === 'string' && choice.finish_reason !== '');
}

/**
 * The provider charges for it whatever it says beside it, and however it has ended: a stream would have been delivered.
 */
const isComplete = (choice: unknown): boolean =>
  isJsonObject(choice) && finishWordOf(choice.finish_reason) !== null && saysSomething(messageOf(choice));

/** It ended with an error before it said anything, so another provider can still answer. */
const hasOnlyFailed = (choice: JsonObject): boolean => endsWithError(choice) && !saysSomething(messageOf(choice));

const endsWithError = ({ finish_reason: word }: JsonObject): boolean => finishReasonOf(textOrEmpty(word)) === 'error';

/** What is stated beside the choices is wrong with those that have ended with an error, as in a stream. */
function withChoiceErrors(json: JsonObject, choices: readonly JsonObject[]): JsonObject {
  const { error } = json;
  if (!statesError(error)) return json;
  const isMeant = (choice: JsonObject): boolean => endsWithError(choice) && !statesError(choice.error);
  return { ...json, choices: choices.map((choice) => (isMeant(choice) ? { ...choice, error } : choice)) };
}

const messageOf = ({ message }: JsonObject): JsonObject => objectOrEmpty(message);
