// The old completions, described.

import { Completion, CompletionRequest } from '../../contract/inference/completions.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CONVERSATIONS } from '../docs/implied-errors.ts';

export const completionDescriptions: Descriptions = {
  'POST /v1/completions': {
    tag: 'Chat',
    summary: 'Continue a prompt',
    notes:
      'For tools that know no chat. Every text model can be called: where its provider has no completions, the prompt is what a user says and the text of the answer the continuation. `suffix`, `echo`, `logprobs` and several choices need a provider that has them, and are refused elsewhere.',
    body: CompletionRequest,
    answers: { 200: { json: Completion, events: Completion } },
    errors: [...OF_CONVERSATIONS, 'invalid_n'],
    example: { model: 'text', body: { model: '$MODEL', prompt: 'Once upon a time', max_tokens: 50 } },
  },
};
