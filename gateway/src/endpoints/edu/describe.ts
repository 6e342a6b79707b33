// OpenAPI descriptions of the institution plan: what students use, and what administrators of their organization
// decide.

import { Type } from '@sinclair/typebox';
import {
  CodeSentAnswer,
  EDU_SESSION_STATUSES,
  EduCodeForm,
  EduConfigBody,
  EduConfigObject,
  EduKeysAnswer,
  EduRefusal,
  EduSessionAnswer,
  EduSessionsAnswer,
  EduVerifyForm,
  NewEduKeyBody,
  NewEduKeyObject,
  OwnEduSessionObject,
} from '../../contract/edu.ts';
import { oneOf } from '../../contract/shape.ts';
import type { Descriptions } from '../docs/description.ts';
import { cursor, optional } from '../docs/queries.ts';

const refusals = { 400: EduRefusal, 429: EduRefusal };

export const eduDescriptions: Descriptions = {
  'GET /edu': {
    tag: 'Institutions',
    summary: "Read the students' page",
    answers: { 200: { bytes: ['text/html'] } },
    errors: ['http_404'],
  },
  'POST /api/edu/request-code': {
    tag: 'Institutions',
    summary: 'Ask for a code by mail',
    notes: 'The answer is the same whether or not the key and the address are known.',
    body: EduCodeForm,
    answers: { 200: { json: CodeSentAnswer } },
    errors: ['http_403'],
    refusals,
    example: { body: { key: '$INSTITUTION_KEY', email: 'ada@uni.example' } },
  },
  'POST /api/edu/verify': {
    tag: 'Institutions',
    summary: 'Exchange a code for a session',
    notes:
      "Send the session's token like a key, on chat completions and embeddings. After five wrong guesses a code no longer works.",
    body: EduVerifyForm,
    answers: { 200: { json: EduSessionAnswer } },
    errors: ['http_403'],
    refusals,
    example: { body: { key: '$INSTITUTION_KEY', email: 'ada@uni.example', code: '123456' } },
  },
  'GET /api/edu/session': {
    tag: 'Institutions',
    summary: 'Read what is left of a session',
    notes: "Send the session's own token.",
    answers: { 200: { json: OwnEduSessionObject } },
    errors: ['http_404'],
  },
  'GET /api/orgs/:orgId/edu/keys': {
    tag: 'Institutions',
    summary: 'List institution keys',
    answers: { 200: { json: EduKeysAnswer } },
  },
  'POST /api/orgs/:orgId/edu/keys': {
    tag: 'Institutions',
    summary: 'Create an institution key',
    notes: 'The secret is shown only in this answer.',
    body: NewEduKeyBody,
    answers: { 201: { json: NewEduKeyObject } },
    errors: ['http_409'],
    example: { body: { name: 'Course of 2030' } },
  },
  'DELETE /api/orgs/:orgId/edu/keys/:id': {
    tag: 'Institutions',
    summary: 'Delete an institution key',
    notes: 'Sessions that were opened with the key end.',
    answers: { 204: {} },
  },
  'GET /api/orgs/:orgId/edu/config': {
    tag: 'Institutions',
    summary: "Read the institution's settings",
    answers: { 200: { json: EduConfigObject } },
  },
  'PATCH /api/orgs/:orgId/edu/config': {
    tag: 'Institutions',
    summary: "Change the institution's settings",
    notes: 'A field that is left out does not change.',
    body: EduConfigBody,
    answers: { 200: { json: EduConfigObject } },
    example: { body: { allowedDomains: ['uni.example'], maxUsd: 5 } },
  },
  'GET /api/orgs/:orgId/edu/sessions': {
    tag: 'Institutions',
    summary: 'List sessions of students',
    query: Type.Object({
      status: Type.Optional(oneOf([...EDU_SESSION_STATUSES, 'all'], 'Default: active.')),
      email: optional('Only sessions of this student.'),
      ...cursor,
    }),
    answers: { 200: { json: EduSessionsAnswer } },
  },
  'DELETE /api/orgs/:orgId/edu/sessions/:id': {
    tag: 'Institutions',
    summary: 'End the session of a student',
    notes: 'The token is refused by every process within a minute.',
    answers: { 204: {} },
  },
};
