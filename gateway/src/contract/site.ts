// Public facts about a gateway.

import { Type } from '@sinclair/typebox';
import { flag, named, orNull, type Shape, text, usd } from './shape.ts';

export const SiteAnswer = Type.Object(
  {
    contact: orNull(text('Where to ask the operator: an address or a link; null when there is none.')),
    publicModels: flag('The pages of models can be read without signing in.'),
    welcomeCreditUsd: usd('The credit of a new account.'),
    topUps: flag('Credit can be bought here.'),
  },
  named('Site'),
);
export type SiteAnswer = Shape<typeof SiteAnswer>;
