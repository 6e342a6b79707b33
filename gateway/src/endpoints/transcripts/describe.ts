// OpenAPI descriptions of transcripts.

import { Type } from '@sinclair/typebox';
import {
  ErasedAnswer,
  GenerationContentAnswer,
  TranscriptObject,
  TranscriptsAnswer,
} from '../../contract/transcripts.ts';
import type { Descriptions } from '../docs/description.ts';
import { optional } from '../docs/queries.ts';

const tag = 'Transcripts';

export const transcriptDescriptions: Descriptions = {
  'GET /v1/generation/content': {
    tag,
    summary: 'Read the prompt and the answer of a call',
    notes:
      "Works if the organization of the key keeps prompts and answers, and the role of the key's holder may read them. The reading is logged.",
    query: Type.Object({ id: Type.String({ description: 'The id of the generation.' }) }),
    answers: { 200: { json: GenerationContentAnswer } },
    errors: ['http_404'],
    example: { query: 'id=$GENERATION_ID' },
  },
  'GET /api/orgs/:orgId/transcripts': {
    tag,
    summary: 'Export the prompts and answers that an organization has kept',
    notes: 'Newest first. The reading is logged.',
    query: Type.Object({
      limit: optional('How many, 1 to 100; default: 20.'),
      cursor: optional('The `next` of the previous page.'),
    }),
    answers: { 200: { json: TranscriptsAnswer } },
  },
  'DELETE /api/orgs/:orgId/transcripts': {
    tag,
    summary: 'Erase prompts and answers',
    query: Type.Object({ userId: optional('Only those of this person.') }),
    answers: { 200: { json: ErasedAnswer } },
  },
  'GET /api/orgs/:orgId/transcripts/:id': {
    tag,
    summary: 'Read the prompt and the answer of a call of an organization',
    notes: 'The reading is logged.',
    answers: { 200: { json: TranscriptObject } },
  },
  'DELETE /api/orgs/:orgId/transcripts/:id': {
    tag,
    summary: 'Erase the prompt and the answer of a call',
    answers: { 204: {} },
  },
};
