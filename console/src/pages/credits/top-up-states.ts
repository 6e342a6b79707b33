// The states of a top-up, in the same words for whoever ordered it and for the operator.

import type { TopUp } from '../../api/top-ups.ts';
import type { Tone } from '../../ui/badge.tsx';

export const TOP_UP_STATES: Readonly<Record<TopUp['state'], readonly [Tone, string]>> = {
  created: ['warn', 'not paid yet'],
  expired: ['neutral', 'expired'],
  paying: ['accent', 'on its way'],
  paid: ['good', 'paid'],
};
