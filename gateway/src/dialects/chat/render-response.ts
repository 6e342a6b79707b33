// A whole answer as the caller sees it: the id, the model and the usage are ours, the provider's name is removed, and
// the choices have the members that clients rely on. Everything else is what the upstream sent, to the byte. Nothing is
// edited in place, so that unchanged members can be recognised.

import type { SourcedJson } from '../../canonical/answer.ts';
import { finishReasonOf } from '../../canonical/finish-reason.ts';
import { isJsonObject, isSet, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { statesError } from '../../canonical/states-error.ts';
import type { Usage } from '../../canonical/usage.ts';
import { exactMember, writeEdited } from '../../platform/json-document.ts';
import { keepUsageMembers } from '../keep-usage-members.ts';
import { withoutBlanks } from './blank-members.ts';
import { renderSameCalls } from './custom-calls.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { withPlainContent } from './plain-content.ts';
import { renderChatUsage } from './render-usage.ts';
import { tidyCalls } from './tidy-calls.ts';

export type ChatRendering = Readonly<{
  /** The generation's id, by which the caller can look the call up. */
  id: string;
  modelId: string;
  usage: Usage;
  costUsd: number;
  hidesReasoning: boolean;
  /** The caller's tools that take plain text; upstreams without such tools have called functions. */
  customNames?: ReadonlySet<unknown>;
  /** Used when the upstream did not state its time. */
  createdSeconds?: number;
}>;

type Wishes = Pick<ChatRendering, 'id' | 'hidesReasoning' | 'customNames'>;

const NO_NAMES: ReadonlySet<unknown> = new Set();
const REASONING_MEMBERS = ['reasoning', 'reasoning_content', 'reasoning_details'];

export function renderChatResponse(answer: SourcedJson, rendering: ChatRendering): string | Buffer {
  const { json, source } = answer;
  return writeEdited(source, json, {
    id: rendering.id,
    object: 'chat.completion',
    created: isUnixSeconds(json.created) ? json.created : (rendering.createdSeconds ?? 0),
    model: rendering.modelId,
    // A member that is undefined is left out of the text.
    provider: undefined,
    choices: renderChoices(answer, rendering),
    usage: keepUsageMembers(renderChatUsage(rendering.usage, rendering.costUsd), json.usage),
  });
}

/** A time in milliseconds would be in the far future. */
export const isUnixSeconds = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 100_000_000_000;

/** The same list object where nothing in it has to change. */
function renderChoices({ json, source }: SourcedJson, wishes: Wishes): unknown {
  const { choices } = json;
  if (Array.isArray(choices) && choices.every((choice) => isPresentable(choice, wishes))) return choices;
  const isExactNeeded = source.hasLargeIntegers && choices === source.json.choices;
  const sent = isExactNeeded ? exactMember(source, 'choices') : choices;
  return Array.isArray(sent)
    ? sent.filter(isJsonObject).map((choice, position) => editChoice(choice, position, wishes))
    : [];
}

function isPresentable(choice: unknown, { id, hidesReasoning, customNames = NO_NAMES }: Wishes): boolean {
  if (!isJsonObject(choice) || !Number.isSafeInteger(choice.index) || isSet(choice.error)) return false;
  const { message, finish_reason: word } = choice;
  if (!isJsonObject(message) || message.role !== 'assistant' || message.content === undefined) return false;
  if (withPlainContent(message) !== message || withoutBlanks(message) !== message) return false;
  if (hidesReasoning && REASONING_MEMBERS.some((member) => message[member] !== undefined)) return false;
  if (tidyCalls(message.tool_calls, id) !== message.tool_calls) return false;
  if (renderSameCalls(message.tool_calls, customNames) !== null) return false;
  return isFinishReason(word) && word !== 'error' && !(word === 'stop' && hasToolCalls(message));
}

function isFinishReason(word: unknown): boolean {
  return typeof word === 'string' && finishReasonOf(word) === word;
}

function hasToolCalls({ tool_calls: calls }: JsonObject): boolean {
  return Array.isArray(calls) && calls.length > 0;
}

function editChoice(choice: JsonObject, position: number, wishes: Wishes): JsonObject {
  const index = Number.isSafeInteger(choice.index) ? choice.index : position;
  const message = editMessage(choice.message, { ...wishes, id: index === 0 ? wishes.id : `${wishes.id}c${index}` });
  const edited: JsonObject = { ...choice, index, message };
  // Some upstreams report an ordinary end when a forced tool call was the whole answer.
  if (edited.finish_reason === 'stop' && hasToolCalls(message)) {
    edited.native_finish_reason ??= 'stop';
    edited.finish_reason = 'tool_calls';
  }
  edited.error = choiceErrorOf(edited);
  mapFinishReason(edited);
  // A whole answer has ended, whether or not its upstream says why.
  edited.finish_reason ??= hasToolCalls(message) ? 'tool_calls' : 'stop';
  if (edited.finish_reason === 'error') edited.error ??= renderChoiceError(null);
  return edited;
}

/** Undefined where nothing is said to be wrong with the choice. */
export const choiceErrorOf = ({ error }: JsonObject): JsonObject | undefined =>
  statesError(error) ? renderChoiceError(error) : undefined;

/** The upstream's text is not passed on; its status may be, because clients decide by it whether to retry. */
export function renderChoiceError(error: unknown): JsonObject {
  const { code } = objectOrEmpty(error);
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599;
  return { code: isStatus ? code : 502, message: 'The upstream model failed while answering.' };
}

function editMessage(message: unknown, { id, hidesReasoning, customNames = NO_NAMES }: Wishes): JsonObject {
  const edited: JsonObject = { ...withoutBlanks(withPlainContent(objectOrEmpty(message))), role: 'assistant' };
  edited.content ??= null;
  if (hidesReasoning) {
    for (const member of REASONING_MEMBERS) edited[member] = undefined;
  }
  if (Array.isArray(edited.tool_calls)) edited.tool_calls = tidyCalls(edited.tool_calls, id);
  const calls = renderSameCalls(edited.tool_calls, customNames);
  if (calls !== null) edited.tool_calls = calls;
  return edited;
}
