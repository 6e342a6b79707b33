// Chat completions of an Azure resource: those of the API, with the filter's results for the prompt and each choice. A
// filtered choice has no message, and a stream begins with a frame without choices.

import { type Answer, type Frame, jsonAnswer } from '../../answer.ts';
import { isObject, type JsonObject, objectsIn } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { chatOperation } from '../openai/chat.ts';
import { azureProtocol, filterResults } from './protocol.ts';

const promptResults = () => ({
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: filterResults(false) }],
});

const OPENING: Frame = {
  kind: 'structure',
  data: JSON.stringify({ choices: [], created: 0, id: '', model: '', object: '', ...promptResults() }),
};

function judgedChoice(choice: JsonObject): JsonObject {
  const isFiltered = choice.finish_reason === 'content_filter';
  const { message, ...others } = choice;
  const isSaid = isObject(choice.delta) && typeof choice.delta.content === 'string' && choice.delta.content !== '';
  const hasResults = isFiltered || isSaid || message !== undefined;
  return {
    ...others,
    ...(message === undefined || isFiltered ? {} : { message }),
    content_filter_results: hasResults ? filterResults(isFiltered) : {},
  };
}

const judged = (completion: JsonObject): JsonObject => ({
  ...completion,
  choices: objectsIn(completion.choices).map(judgedChoice),
});

function judgedFrame(frame: Frame): Frame {
  if (frame.kind === 'end') return frame;
  const data: unknown = JSON.parse(frame.data);
  return isObject(data) ? { ...frame, data: JSON.stringify(judged(data)) } : frame;
}

function answerAzureChat(call: Call): Answer {
  const answer = chatOperation.answer(call);
  if (answer.kind === 'stream') return { ...answer, frames: [OPENING, ...answer.frames.map(judgedFrame)] };
  const body: unknown = JSON.parse(answer.body.toString());
  if (answer.status !== 200 || !isObject(body)) return answer;
  return jsonAnswer(200, { ...judged(body), ...promptResults() });
}

export const azureChatOperation: Operation = { ...chatOperation, protocol: azureProtocol, answer: answerAzureChat };
