// POST /moderations. A text with the word "violence" is flagged as violent; every other is harmless.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { isObject, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const CATEGORIES = ['harassment', 'hate', 'self-harm', 'sexual', 'violence'] as const;

/** A list of parts is one input, a list of texts is one input for each. */
function readInputs(input: unknown): readonly string[] {
  const items = Array.isArray(input) ? input : [input];
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length === items.length) return texts;
  return [items.map((item) => (isObject(item) ? (stringAt(item, 'text') ?? '') : '')).join('\n')];
}

function judge(text: string) {
  const isViolent = /violence/i.test(text);
  const each = <Value>(describe: (isIn: boolean) => Value) =>
    Object.fromEntries(CATEGORIES.map((name) => [name, describe(isViolent && name === 'violence')]));
  return {
    flagged: isViolent,
    categories: each((isIn) => isIn),
    category_scores: each((isIn) => (isIn ? 0.97 : 0.001)),
    category_applied_input_types: each((isIn) => (isIn ? ['text'] : [])),
  };
}

export const moderationsOperation: Operation = {
  method: 'POST',
  path: '/moderations',
  protocol: openaiProtocol,
  answer({ body, sequence }: Call): Answer {
    if (body.input === undefined) return openaiProtocol.error(400, "'input' is required.");
    return jsonAnswer(200, {
      id: `modr-${sequence}`,
      model: stringAt(body, 'model') ?? 'omni-moderation-latest',
      results: readInputs(body.input).map(judge),
    });
  },
};
