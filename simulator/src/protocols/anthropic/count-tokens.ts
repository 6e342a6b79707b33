// POST /messages/count_tokens: the same count that `messages.ts` bills for the prompt.

import { jsonAnswer } from '../../answer.ts';
import type { Operation } from '../../operation.ts';
import { findMessagesMistake } from './messages-turn.ts';
import { countPrompt, readPromptBlocks } from './prompt-blocks.ts';
import { anthropicProtocol } from './protocol.ts';

export const countTokensOperation: Operation = {
  method: 'POST',
  path: '/messages/count_tokens',
  protocol: anthropicProtocol,
  answer({ body, commands }) {
    const mistake = findMessagesMistake(body, false);
    if (mistake !== undefined) return anthropicProtocol.error(400, mistake);
    return jsonAnswer(200, { input_tokens: commands.promptTokens ?? countPrompt(readPromptBlocks(body)) });
  },
};
