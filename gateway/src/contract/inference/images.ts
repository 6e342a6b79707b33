// Images as they are requested and answered. Addresses are the gateway's own and valid for an hour.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, text, usd } from '../shape.ts';
import { firstModel, maybe, models, open, ProviderPreferences } from './fields.ts';

const prompt = Type.String({ minLength: 1, maxLength: 32_768, description: 'What the picture or video is to show.' });

const wishes = {
  models: maybe(models),
  prompt,
  n: maybe(Type.Integer({ minimum: 1, maximum: 10, description: 'How many pictures.' })),
  size: maybe(Type.String({ description: 'Such as 1024x1024; the nearest size of the model is used.' })),
  aspect_ratio: maybe(Type.String({ description: 'Such as 16:9.' })),
  stream: maybe(Type.Boolean({ description: 'Answer with events.' })),
  provider: maybe(ProviderPreferences),
};

export const ImageRequest = Type.Object(
  {
    ...wishes,
    model: firstModel,
    response_format: maybe(Type.Literal('url', { description: 'Answers always hold addresses of pictures.' })),
  },
  { ...open, ...named('ImageRequest') },
);

export const InlineImageRequest = Type.Object(
  {
    ...wishes,
    model: firstModel,
    input_references: maybe(
      Type.Array(
        Type.Object({ image_url: Type.Object({ url: text('A base64 data URI of a picture.') }, open) }, open),
        { maxItems: 8, description: 'Pictures to start from.' },
      ),
    ),
    response_format: maybe(
      Type.Union([Type.Literal('url'), Type.Literal('b64_json')], { description: '`b64_json` unless said.' }),
    ),
  },
  { ...open, ...named('InlineImageRequest') },
);

/** In a form every value is text, except files. */
export const ImageEditForm = Type.Object(
  {
    image: Type.Array(Type.String({ contentMediaType: 'image/*' }), {
      minItems: 1,
      maxItems: 8,
      description: 'PNG, JPEG, WebP or GIF files of at most 10 MB each.',
    }),
    prompt,
    model: Type.Optional(
      Type.String({ description: 'The default is the first model of the catalog that edits pictures.' }),
    ),
    n: Type.Optional(Type.String({ description: 'How many pictures.' })),
    size: Type.Optional(Type.String()),
    stream: Type.Optional(Type.String({ description: '`true` answers with events.' })),
  },
  { ...open, ...named('ImageEditForm') },
);

const created = Type.Integer({ description: 'Unix seconds.' });

export const ImagesAnswer = Type.Object(
  {
    created,
    data: listOf(Type.Object({ url: text('The address of the picture, valid for an hour.') })),
    usage: Type.Object({
      input_tokens: count('Tokens of the prompt.'),
      output_tokens: count('Tokens of the pictures.'),
      total_tokens: count('Both.'),
      cost: usd('What was charged.'),
    }),
  },
  named('Images'),
);

export const InlineImagesAnswer = Type.Object(
  {
    created,
    data: listOf(Type.Object({ b64_json: text('The picture, in base64.'), media_type: text('Such as image/png.') })),
    usage: Type.Object({
      prompt_tokens: count('Tokens of the prompt.'),
      completion_tokens: count('Tokens of the pictures.'),
      total_tokens: count('Both.'),
      cost: usd('What was charged.'),
    }),
  },
  named('InlineImages'),
);

export const ImageEvent = Type.Union(
  [
    Type.Object({ index: count('The number of the picture, from 0.'), url: text('The address of the picture.') }),
    Type.Object({
      promptTokens: count('Tokens of the prompt.'),
      completionTokens: count('Tokens of the pictures.'),
      cost: usd('What was charged.'),
      durationMs: Type.Number(),
      imageCount: count('How many pictures.'),
    }),
    Type.Object({}),
  ],
  named(
    'ImageEvent',
    'Of `image` (where the upstream has it) and `image-cached` (where we have it), of `usage`, and of `heartbeat` and `done`.',
  ),
);
