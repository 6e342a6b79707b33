// Moderations, described.

import { ModerationAnswer, ModerationRequest } from '../../contract/inference/moderations.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CALLS } from '../docs/implied-errors.ts';

export const moderationDescriptions: Descriptions = {
  'POST /v1/moderations': {
    tag: 'Moderations',
    summary: 'Judge texts and pictures',
    notes:
      "Without a model the gateway's own policy answers: it looks for phrases in texts, costs nothing and leaves no record. With a model the call is routed, charged and recorded like any other. What is asked about is not refused for what it says.",
    body: ModerationRequest,
    answers: { 200: { json: ModerationAnswer } },
    errors: [...OF_CALLS, 'invalid_image_url'],
    example: { body: { input: ['I want to bake a cake.'] } },
  },
};
