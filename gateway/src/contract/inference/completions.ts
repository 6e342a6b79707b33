// The old completions as they are accepted and answered.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, orNull, text } from '../shape.ts';
import { Usage } from './chat.ts';
import { firstModel, maybe, models, open, ProviderPreferences } from './fields.ts';

const stop = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })]);

export const CompletionRequest = Type.Object(
  {
    model: firstModel,
    models: maybe(models),
    prompt: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { minItems: 1, maxItems: 1 })]),
    suffix: maybe(Type.String({ description: 'The text that comes after the gap to be filled.' })),
    max_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    n: maybe(Type.Integer({ minimum: 1, maximum: 128 })),
    echo: maybe(Type.Boolean()),
    logprobs: maybe(Type.Integer({ minimum: 0, maximum: 5 })),
    stop: maybe(stop),
    stream: maybe(Type.Boolean()),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('CompletionRequest') },
);

export const Completion = Type.Object(
  {
    id: text('The id of the generation; GET /v1/generation gives its record.'),
    object: Type.Literal('text_completion'),
    created: count('When, in seconds since 1970.'),
    model: text('The model that answered.'),
    choices: listOf(
      Type.Object({
        text: text('The continuation, or the next piece of it.'),
        index: count('The number of the choice, from 0.'),
        logprobs: orNull(Type.Unknown()),
        finish_reason: orNull(text('Why it ended.')),
      }),
    ),
    usage: Type.Optional(Usage),
  },
  named('Completion'),
);
