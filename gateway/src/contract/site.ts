// Public facts about a gateway.

import { Type } from '@sinclair/typebox';
import { flag, named, orNull, type Shape, text, usd } from './shape.ts';

export const SiteAnswer = Type.Object(
  {
    contact: orNull(text('Whom to write to: an address or a link; null when the operator names none.')),
    publicModels: flag('The pages of models can be read without signing in.'),
    welcomeCreditUsd: usd('What a new account begins with.'),
    topUps: flag('Credit can be bought here.'),
  },
  named('Site'),
);
export type SiteAnswer = Shape<typeof SiteAnswer>;
