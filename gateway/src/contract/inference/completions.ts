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
    suffix: maybe(Type.String({ description: 'What comes after the text that is to be filled in.' })),
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
    id: text('The generation; GET /v1/generation tells more about it.'),
    object: Type.Literal('text_completion'),
    created: count('When, in seconds since 1970.'),
    model: text('The model that answered.'),
    choices: listOf(
      Type.Object({
        text: text('The continuation, or the next piece of it.'),
        index: count('Which of the choices.'),
        logprobs: orNull(Type.Unknown()),
        finish_reason: orNull(text('Why it ended.')),
      }),
    ),
    usage: Type.Optional(Usage),
  },
  named('Completion'),
);
