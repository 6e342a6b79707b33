// The query parameters that several routes share. They are read by hand where they are needed; these schemas describe
// them.

import { Type } from '@sinclair/typebox';
import { YEAR_MAX, YEAR_MIN } from '../../canonical/calendar.ts';
import { CALL_OUTCOMES } from '../../contract/overview.ts';
import { oneOf } from '../../contract/shape.ts';
import { STATEMENT_LIMIT_MAX } from '../account/statement.ts';
import { CALLS_LIMIT_MAX } from '../admin/calls.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from '../page.ts';

export const optional = (description: string) => Type.Optional(Type.String({ description }));

export const limit = (maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `How many; default: ${LIMIT_DEFAULT}.` }));

export const day = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: `${description} YYYY-MM-DD.` }));

const span = {
  from: optional('The first day, YYYY-MM-DD, or a moment.'),
  to: optional('The last day, YYYY-MM-DD, which is included; or a moment, which is not.'),
};

/** For the log of calls, of a person and of the operator. */
export const callQuery = {
  user: optional('Only calls of this person.'),
  key: optional('Only calls with this key.'),
  model: optional('Only calls of this model.'),
  provider: optional('Only calls that this provider answered.'),
  app: optional('Only calls of this application.'),
  outcome: Type.Optional(oneOf(CALL_OUTCOMES, 'Only calls with this outcome.')),
  status: optional('Only calls with this status.'),
  id: optional('The call with this id, or the request.'),
  ...span,
  cursor: optional('The `next` of the previous page.'),
  limit: limit(CALLS_LIMIT_MAX),
  format: Type.Optional(oneOf(['json', 'csv'], 'csv is for a spreadsheet and has no pages; at most 20,000 calls.')),
};

/** For a statement, of its holder and of the operator. */
export const statementQuery = Type.Object({
  ...span,
  by: Type.Optional(oneOf(['call', 'day'], 'With day, the charges of a day are one row; at most 366 days.')),
  cursor: optional('The `next` of the previous page.'),
  limit: limit(STATEMENT_LIMIT_MAX),
  format: Type.Optional(oneOf(['json', 'csv'], 'csv is for a spreadsheet and has no pages: at most 50,000 rows.')),
});

export const after = { after: optional('The `next` of the previous page.'), limit: limit(LIMIT_MAX) };
export const cursor = { cursor: optional('The `next` of the previous page.'), limit: limit(LIMIT_MAX) };

const year = Type.Integer({ minimum: YEAR_MIN, maximum: YEAR_MAX });
const month = Type.Integer({ minimum: 1, maximum: 12 });
export const requiredMonth = { year, month };
export const currentMonth = { year: Type.Optional(year), month: Type.Optional(month) };

/** For every change of the configuration. */
export const dryRun = {
  dry_run: Type.Optional(Type.Boolean({ description: 'Show what would change, and change nothing.' })),
  revision: Type.Optional(
    Type.Integer({ description: 'The revision that the change was made for; 409 when another one is live.' }),
  ),
};
