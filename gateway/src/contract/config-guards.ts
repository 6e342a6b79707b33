// The operator's own guards in the config document: services that are asked about everybody's calls.

import { type Static, Type } from '@sinclair/typebox';
import { oneOf, strict, text } from './config-fields.ts';

export const GuardEntry = Type.Object(
  {
    form: oneOf(['webhook', 'presidio', 'lakera', 'moderations']),
    /** The whole address that is asked. */
    url: text(2000, 'an http or https URL'),
    api_key: Type.Optional(text(4000)),
    stages: Type.Array(oneOf(['before', 'beside', 'after']), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'a list of before, beside and after',
    }),
    /** What happens with a finding; it blocks by default. */
    action: Type.Optional(oneOf(['block', 'redact', 'flag'])),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 10_000, description: 'a whole number from 100 to 10000' }),
    ),
    /** What happens with a call when there is no verdict; it is refused by default. */
    on_failure: Type.Optional(oneOf(['allow', 'block'])),
  },
  { ...strict, title: 'GuardEntry' },
);
export type GuardEntry = Static<typeof GuardEntry>;
