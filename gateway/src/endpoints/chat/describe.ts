// Chat completions, described.

import { Type } from '@sinclair/typebox';
import { ChatCompletion, ChatCompletionChunk, ChatRequest } from '../../contract/inference/chat.ts';
import { ImageEvent } from '../../contract/inference/images.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { OF_CONVERSATIONS } from '../docs/implied-errors.ts';

const completion: Description = {
  tag: 'Chat',
  summary: 'Create a chat completion',
  notes:
    'With `stream` the answer is a stream of events, with those of pictures where some were asked for. Bodies in the ' +
    'form of Responses are taken too. A session of an institution opens this route like a key.',
  body: ChatRequest,
  answers: { 200: { json: ChatCompletion, events: Type.Union([ChatCompletionChunk, ImageEvent]) } },
  errors: [
    ...OF_CONVERSATIONS,
    'invalid_n',
    'too_many_images',
    'missing_prompt',
    'invalid_image_type',
    'no_images',
    'pipeline_error',
  ],
  example: { model: 'text', body: { model: '$MODEL', messages: [{ role: 'user', content: 'Say hello.' }] } },
};

export const chatDescriptions: Descriptions = {
  'POST /v1/chat/completions': completion,
  'POST /v1/cursor/chat/completions': {
    ...completion,
    summary: 'Create a chat completion, for an editor',
    notes: 'The same as POST /v1/chat/completions, which new integrations use.',
  },
};
