// Which of a request's tools take plain text. Upstreams without such tools are offered functions, so only the request
// tells that a call is of one of them.

import type { Answer, AnswerPart } from '../canonical/answer.ts';
import { customCall, customInput } from '../canonical/custom-tools.ts';
import type { Format } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import { readCustomNames } from './chat/custom-calls.ts';
import { readToolNames } from './responses/tool-names.ts';

/** A request of a client, of whatever kind. */
type Asked = Readonly<{ format: Format; body: JsonObject }>;

/** By the name under which an upstream was offered it. */
export function isCustomIn({ format, body }: Asked): (name: string) => boolean {
  if (format === 'responses') return readToolNames(body).isCustom;
  const names = format === 'chat' ? readCustomNames(body) : null;
  return (name) => names?.has(name) === true;
}

/** The answer with their calls as what they are. */
export function withPlainCalls(answer: Answer, asked: Asked): Answer {
  if (!answer.parts.some(isFunctionCall)) return answer;
  const isCustom = isCustomIn(asked);
  const parts = answer.parts.map((part) =>
    isFunctionCall(part) && isCustom(part.name)
      ? { ...part, ...customCall(part.id, part.name, customInput(part.argumentsText)) }
      : part,
  );
  return { ...answer, parts };
}

const isFunctionCall = (part: AnswerPart): part is Extract<AnswerPart, { type: 'tool-call' }> =>
  part.type === 'tool-call' && part.plainInput === undefined && part.namespace === undefined;
