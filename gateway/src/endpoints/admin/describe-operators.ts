// OpenAPI descriptions of the routes on operators.

import {
  ActingOperatorAnswer,
  NewOperatorBody,
  OperatorAnswer,
  OperatorChangesBody,
  OperatorListAnswer,
} from '../../contract/operators.ts';
import type { Descriptions } from '../docs/description.ts';

const tag = 'Operator';

export const operatorDescriptions: Descriptions = {
  'GET /admin/v1/operator': {
    tag,
    summary: 'Read your role as an operator',
    notes: 'The role, and the person of the session; the operator token has no person.',
    answers: { 200: { json: ActingOperatorAnswer } },
  },
  'GET /admin/v1/operators': { tag, summary: 'List operators', answers: { 200: { json: OperatorListAnswer } } },
  'POST /admin/v1/operators': {
    tag,
    summary: 'Appoint an operator',
    notes: 'The person needs an account here. Their session then opens the routes that the role allows.',
    body: NewOperatorBody,
    answers: { 201: { json: OperatorAnswer } },
    errors: ['http_404'],
    example: { body: { email: '$EMAIL', role: 'support' } },
  },
  'PATCH /admin/v1/operators/:userId': {
    tag,
    summary: "Change an operator's role",
    body: OperatorChangesBody,
    answers: { 200: { json: OperatorAnswer } },
    example: { body: { role: 'read_only' } },
  },
  'DELETE /admin/v1/operators/:userId': {
    tag,
    summary: 'Dismiss an operator',
    notes: 'The account stays. The dismissal counts from the next request on.',
    answers: { 204: {} },
  },
};
