// What the cache of answers has saved, as it is shown.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, type Shape, text, usd } from './shape.ts';

const figures = {
  hits: count('Calls that were answered from the cache.'),
  savedUsd: usd('What they would have cost.'),
};

export const CacheAnswer = Type.Object(
  {
    data: Type.Object({
      since: text('The first day that is counted; 30 days including today.'),
      ...figures,
      days: listOf(Type.Object({ day: text('As YYYY-MM-DD, in UTC.'), ...figures }), 'Only days with a hit, in order.'),
      models: listOf(Type.Object({ model: text('Its id.'), ...figures })),
    }),
  },
  named('CacheSavings'),
);
export type CacheAnswer = Shape<typeof CacheAnswer>;
