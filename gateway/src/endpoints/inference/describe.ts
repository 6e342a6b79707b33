// OpenAPI descriptions of chat completions.

import { Type } from '@sinclair/typebox';
import {
  SpeechRequest,
  Transcription,
  TranscriptionEvent,
  TranscriptionForm,
  TranscriptionRequest,
} from '../../contract/inference/audio.ts';
import { ChatCompletion, ChatCompletionChunk, ChatRequest } from '../../contract/inference/chat.ts';
import { Completion, CompletionRequest } from '../../contract/inference/completions.ts';
import { EmbeddingsAnswer, EmbeddingsRequest } from '../../contract/inference/embeddings.ts';
import {
  ImageEditForm,
  ImageEvent,
  ImageRequest,
  ImagesAnswer,
  InlineImageRequest,
  InlineImagesAnswer,
} from '../../contract/inference/images.ts';
import {
  CountTokensRequest,
  MessageAnswer,
  MessageEvent,
  MessagesRequest,
  TokenCount,
} from '../../contract/inference/messages.ts';
import { ModerationAnswer, ModerationRequest } from '../../contract/inference/moderations.ts';
import { RerankAnswer, RerankRequest } from '../../contract/inference/rerank.ts';
import {
  CompactedConversation,
  InputTokenCount,
  ResponseEvent,
  ResponseObject,
  ResponsesRequest,
} from '../../contract/inference/responses.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { OF_CALLS, OF_CONVERSATIONS, OF_IMAGES } from '../docs/implied-errors.ts';

const completion: Description = {
  tag: 'Chat',
  summary: 'Create a chat completion',
  notes:
    'With `stream` the answer is a stream of events, including events of pictures if they were asked for. Bodies in the ' +
    'form of Responses work too. The token of a student session works like a key.',
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
    notes: 'The same as POST /v1/chat/completions. New integrations should use that path.',
  },
};

// OpenAPI descriptions of the old completions.

export const completionDescriptions: Descriptions = {
  'POST /v1/completions': {
    tag: 'Chat',
    summary: 'Continue a prompt',
    notes:
      'For tools without chat. Every text model can be called: where its provider has no completions, the prompt is sent as the message of a user, and the text of the answer is the continuation. `suffix`, `echo`, `logprobs` and several choices need a provider that has completions, and are refused otherwise.',
    body: CompletionRequest,
    answers: { 200: { json: Completion, events: Completion } },
    errors: [...OF_CONVERSATIONS, 'invalid_n'],
    example: { model: 'text', body: { model: '$MODEL', prompt: 'Once upon a time', max_tokens: 50 } },
  },
};

// OpenAPI descriptions of messages. Errors have the envelope of that dialect.

const messages = [{ role: 'user', content: 'Say hello.' }];

export const messagesDescriptions: Descriptions = {
  'POST /v1/messages': {
    tag: 'Chat',
    summary: 'Create a message',
    notes: 'The key may also be sent as `x-api-key`. With `stream` the answer is a stream of events.',
    body: MessagesRequest,
    answers: { 200: { json: MessageAnswer, events: MessageEvent } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', max_tokens: 256, messages } },
  },
  'POST /v1/messages/count_tokens': {
    tag: 'Chat',
    summary: 'Count the tokens of a message',
    notes: 'An estimate, free of charge.',
    body: CountTokensRequest,
    answers: { 200: { json: TokenCount } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', messages } },
  },
};

// OpenAPI descriptions of responses, and of the refusal of WebSockets on the same path.

export const responsesDescriptions: Descriptions = {
  'POST /v1/responses': {
    tag: 'Chat',
    summary: 'Create a response',
    notes:
      'Conversations are not stored: send the whole history in `input`. With `stream` the answer is a stream of events.',
    body: ResponsesRequest,
    answers: { 200: { json: ResponseObject, events: ResponseEvent } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', input: 'Say hello.' } },
  },
  'POST /v1/responses/compact': {
    tag: 'Chat',
    summary: 'Make a conversation shorter',
    notes:
      'The provider replaces most of the conversation by a summary that only it can read. Only for models whose provider ' +
      'speaks Responses; the body is passed on as it is.',
    body: ResponsesRequest,
    answers: { 200: { json: CompactedConversation } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', input: [{ role: 'user', content: 'Say hello.' }] } },
  },
  'POST /v1/responses/input_tokens': {
    tag: 'Chat',
    summary: 'Count the tokens of an input',
    notes: 'An estimate, free of charge.',
    body: ResponsesRequest,
    answers: { 200: { json: InputTokenCount } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', input: 'Say hello.' } },
  },
  'GET /v1/responses': {
    tag: 'Chat',
    summary: 'Refuse a WebSocket',
    notes: 'Clients that try a WebSocket get 426 at once and go on with POST.',
    answers: {},
    errors: ['http_405', 'http_426'],
  },
};

// OpenAPI descriptions of embeddings.

export const embeddingsDescriptions: Descriptions = {
  'POST /v1/embeddings': {
    tag: 'Embeddings',
    summary: 'Create embeddings',
    notes: 'The token of a student session works like a key.',
    body: EmbeddingsRequest,
    answers: { 200: { json: EmbeddingsAnswer } },
    errors: [...OF_CALLS, 'invalid_image_url'],
    example: { model: 'embeddings', body: { model: '$MODEL', input: ['A cat.', 'A dog.'] } },
  },
};

// OpenAPI descriptions of rerank, at both of its addresses.

const ranking: Description = {
  tag: 'Rerank',
  summary: 'Sort documents by relevance',
  notes:
    'Charged by the search (a query of up to a hundred documents) or by the token, depending on the price of the model.',
  body: RerankRequest,
  answers: { 200: { json: RerankAnswer } },
  errors: OF_CALLS,
  example: {
    model: 'rerank',
    body: { model: '$MODEL', query: 'Which animal barks?', documents: ['A cat.', 'A dog.'], top_n: 1 },
  },
};

export const rerankDescriptions: Descriptions = {
  'POST /v1/rerank': ranking,
  'POST /v2/rerank': { ...ranking, summary: 'Sort documents by relevance, at the second path' },
};

// OpenAPI descriptions of moderations.

export const moderationDescriptions: Descriptions = {
  'POST /v1/moderations': {
    tag: 'Moderations',
    summary: 'Judge texts and pictures',
    notes:
      "Without a model the gateway's own policy answers: it looks for phrases in texts, costs nothing and leaves no record. With a model the call is routed, charged and recorded like any other. The inputs themselves are not refused by moderation.",
    body: ModerationRequest,
    answers: { 200: { json: ModerationAnswer } },
    errors: [...OF_CALLS, 'invalid_image_url'],
    example: { body: { input: ['I want to bake a cake.'] } },
  },
};

// OpenAPI descriptions of speech and transcriptions.

export const audioDescriptions: Descriptions = {
  'POST /v1/audio/speech': {
    tag: 'Audio',
    summary: 'Speak a text',
    notes: 'The sound is sent as the model makes it. The price depends only on the characters of the text.',
    body: SpeechRequest,
    answers: { 200: { bytes: ['audio/*', 'application/octet-stream', 'text/event-stream'] } },
    errors: OF_CALLS,
    example: {
      model: 'speech',
      body: { model: '$MODEL', input: 'Hello there.', voice: 'alloy' },
      options: ['-o speech.mp3'],
    },
  },
  'POST /v1/audio/transcriptions': {
    tag: 'Audio',
    summary: 'Transcribe a recording',
    notes: 'Send a form with the file, or JSON with base64.',
    body: TranscriptionRequest,
    form: TranscriptionForm,
    answers: { 200: { json: Transcription, events: TranscriptionEvent, bytes: ['text/plain', 'text/vtt'] } },
    errors: [...OF_CALLS, 'unsupported_response_format', 'invalid_content_type'],
    example: { model: 'transcription', form: { file: '@recording.wav', model: '$MODEL' } },
  },
};

// OpenAPI descriptions of pictures: made from words, made from pictures, and read again.

const proxy: Description = {
  tag: 'Images',
  summary: 'Read a picture',
  notes: 'The address is in the answer that made the picture, and is valid for an hour. No key is needed.',
  answers: { 200: { bytes: ['image/*'] } },
};

export const imagesDescriptions: Descriptions = {
  'POST /v1/images/generations': {
    tag: 'Images',
    summary: 'Create pictures',
    notes: 'With `stream` the answer is a stream of events.',
    body: ImageRequest,
    answers: { 200: { json: ImagesAnswer, events: ImageEvent } },
    errors: OF_IMAGES,
    example: { model: 'image', body: { model: '$MODEL', prompt: 'A cat on a mat.' } },
  },
  'POST /v1/images': {
    tag: 'Images',
    summary: 'Create pictures, with the pictures in the answer',
    notes: 'From a prompt, or from pictures in the request.',
    body: InlineImageRequest,
    answers: { 200: { json: Type.Union([InlineImagesAnswer, ImagesAnswer]), events: ImageEvent } },
    errors: [
      ...OF_IMAGES,
      'invalid_image_url',
      'invalid_image_type',
      'image_too_large',
      'too_many_images',
      'input_images_not_supported',
    ],
    example: { model: 'image', body: { model: '$MODEL', prompt: 'A cat on a mat.' } },
  },
  'POST /v1/images/edits': {
    tag: 'Images',
    summary: 'Edit pictures',
    notes: 'Send a form with up to eight files. The prompt says what to change; masks are not supported.',
    form: ImageEditForm,
    answers: { 200: { json: ImagesAnswer, events: ImageEvent } },
    errors: [
      ...OF_IMAGES,
      'missing_image',
      'mask_not_supported',
      'invalid_content_type',
      'invalid_image_type',
      'image_too_large',
      'too_many_images',
      'input_images_not_supported',
    ],
    example: { model: 'edit', form: { image: '@cat.png', prompt: 'Make it brighter.', model: '$MODEL' } },
  },
  'GET /v1/images/proxy/:token': proxy,
  'HEAD /v1/images/proxy/:token': { ...proxy, summary: 'Ask about a picture', answers: { 200: {} } },
};
