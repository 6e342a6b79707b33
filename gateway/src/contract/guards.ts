// Guards, which are services of others that are asked about an organization's calls, as its administrators manage them.

import { type Static, Type } from '@sinclair/typebox';
import { oneOf, shortName } from './body-fields.ts';
import { oneOf as choice, count, flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

export const GUARD_FORMS = ['webhook', 'presidio', 'lakera', 'moderations'] as const;
export const GUARD_STAGES = ['before', 'beside', 'after'] as const;
export const GUARD_ACTIONS = ['block', 'redact', 'flag'] as const;
const ON_FAILURE = ['block', 'allow'] as const;

const fields = {
  name: shortName,
  stages: Type.Array(oneOf(GUARD_STAGES), {
    minItems: 1,
    maxItems: 3,
    description: 'a list of before, beside and after',
  }),
  action: oneOf(GUARD_ACTIONS),
  timeoutMs: Type.Integer({ minimum: 100, maximum: 10_000, description: 'a whole number from 100 to 10000' }),
  onFailure: oneOf(ON_FAILURE),
  enabled: Type.Boolean({ description: 'true or false' }),
};

export const NewGuardBody = Type.Object(
  {
    name: fields.name,
    form: oneOf(GUARD_FORMS),
    url: Type.String({ minLength: 1, maxLength: 2_048, description: 'a URL of at most 2048 characters' }),
    apiKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'printable ASCII of at most 1024 characters',
      }),
    ),
    stages: fields.stages,
    action: Type.Optional(fields.action),
    timeoutMs: Type.Optional(fields.timeoutMs),
    onFailure: Type.Optional(fields.onFailure),
    enabled: Type.Optional(fields.enabled),
  },
  { ...strict, title: 'NewGuardBody' },
);
export type NewGuardBody = Static<typeof NewGuardBody>;

export const ChangeGuardBody = Type.Object(Type.Partial(Type.Object(fields)).properties, {
  ...strict,
  title: 'ChangeGuardBody',
});
export type ChangeGuardBody = Static<typeof ChangeGuardBody>;

export const GuardObject = Type.Object(
  {
    id: text('The id of the guard, used in paths.'),
    name: text('The name. Refusals show it.'),
    form: choice(GUARD_FORMS, 'The format of the requests to the guard.'),
    host: text('The host of the guard. The rest of its address is never shown.'),
    stages: listOf(choice(GUARD_STAGES, 'Before the call, beside it, or after it about the answer.')),
    action: choice(GUARD_ACTIONS, 'What is done when the guard finds something.'),
    timeoutMs: count('How long a call waits for the guard, in milliseconds.'),
    onFailure: choice(ON_FAILURE, 'What is done with a call when the guard gives no verdict.'),
    enabled: flag('False: it is not asked.'),
    createdAt: moment('When it was made.'),
  },
  named('Guard'),
);
export type GuardObject = Shape<typeof GuardObject>;

const GuardDecision = Type.Object(
  {
    guardId: text('The id of the guard that was asked.'),
    guardName: text('Its name at that time.'),
    keyId: text('The key that the call was made with.'),
    stage: text('Before, beside or after.'),
    outcome: text('`allowed`, `blocked`, `redacted`, `flagged` or `no_verdict`.'),
    reason: orNull(text("The guard's reason, or why there was no verdict.")),
    durationMs: count('How long it took, in milliseconds.'),
    createdAt: moment('When the request was made.'),
  },
  named('GuardDecision'),
);

export const GuardsAnswer = Type.Object(
  { guards: listOf(GuardObject), decisions: listOf(GuardDecision, 'The newest fifty, the newest first.') },
  named('Guards'),
);
export type GuardsAnswer = Shape<typeof GuardsAnswer>;
