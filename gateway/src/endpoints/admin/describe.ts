// OpenAPI descriptions of the operator's routes on users, keys, organizations and their money.

import { Type } from '@sinclair/typebox';
import { KeyList, NewKeyObject } from '../../contract/account.ts';
import { AdjustedAnswer, AdjustmentBody, RefundBody, RefundedAnswer } from '../../contract/adjustments.ts';
import {
  BalanceAnswer,
  CreditBody,
  KeySwitchBody,
  LedgerCheckAnswer,
  NewKeyBody,
  NewUserBody,
  OperatorLogAnswer,
  UserAnswer,
  UserChangesBody,
  UserDetailAnswer,
  UserListAnswer,
  UserStateAnswer,
} from '../../contract/admin.ts';
import { CodeBatchList, NewCodesAnswer, NewCodesBody } from '../../contract/codes.ts';
import { KeyChangedAnswer } from '../../contract/keys.ts';
import { ArchiveBody, ArchivedAnswer, LedgerCheckpoints, LedgerLines, LedgerMonthList } from '../../contract/ledger.ts';
import { MembersAnswer } from '../../contract/org-management.ts';
import {
  NewOrgBody,
  NewOrgKeyBody,
  OrgAnswer,
  OrgChangesBody,
  OrgListAnswer,
  OrgStateAnswer,
  StatementAnswer,
  StatementPaidBody,
} from '../../contract/orgs.ts';
import { OperatorOrder, OperatorOrderList, OrderRefundBody, TOP_UP_STATES } from '../../contract/payments.ts';
import { oneOf } from '../../contract/shape.ts';
import { AccountStatementAnswer } from '../../contract/statement.ts';
import { usage } from '../account/describe.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { after, cursor, optional, requiredMonth, statementQuery } from '../docs/queries.ts';
import { ORG_SORTS } from './orgs.ts';
import { USER_SORTS } from './users.ts';

const tag = 'Operator';
const searchFor = (sorts: readonly string[]) =>
  Type.Object({
    query: optional("A part of a name, an address or an id; or a key's id, or the beginning and end of a key."),
    sort: Type.Optional(oneOf(['created', ...sorts], 'Default: created.')),
    order: Type.Optional(oneOf(['asc', 'desc'], 'Default: newest and largest first, names from A to Z.')),
    ...cursor,
  });

const credit: Description = {
  tag,
  summary: 'Credit a user',
  notes: 'With an `Idempotency-Key` header a repeated request credits only once.',
  body: CreditBody,
  answers: { 200: { json: BalanceAnswer } },
  errors: ['http_409'],
  example: { body: { amountUsd: 25, note: 'Welcome.' } },
};

const adjust = (whom: string): Description => ({
  tag,
  summary: `Adjust the balance of ${whom}`,
  notes:
    'A negative amount takes credit back. The same `reference` counts once. 409 when the balance would become negative.',
  body: AdjustmentBody,
  answers: { 200: { json: AdjustedAnswer } },
  errors: ['http_409'],
  example: { body: { amountUsd: -0.5, reason: 'Credited twice.', reference: 'ticket-7' } },
});

const entriesOf = (whose: string): Description => ({
  tag,
  summary: `Read the entries of ${whose}`,
  notes: "The same rows as in the holder's own statement.",
  query: statementQuery,
  answers: { 200: { json: AccountStatementAnswer, bytes: ['text/csv'] } },
  example: { query: 'limit=20' },
});

const usageOf = (whose: string): Description => ({
  ...usage,
  tag,
  summary: `Read the usage of ${whose}`,
});

const users: Descriptions = {
  'GET /admin/v1/users': {
    tag,
    summary: 'List users',
    query: searchFor(USER_SORTS),
    answers: { 200: { json: UserListAnswer } },
    example: { query: 'query=ada' },
  },
  'POST /admin/v1/users': {
    tag,
    summary: 'Create a user',
    body: NewUserBody,
    answers: { 201: { json: UserAnswer } },
    errors: ['http_409'],
    example: { body: { email: 'linus@example.com', name: 'Linus' } },
  },
  'GET /admin/v1/users/:id': { tag, summary: 'Read a user', answers: { 200: { json: UserDetailAnswer } } },
  'PATCH /admin/v1/users/:id': {
    tag,
    summary: 'Suspend or reopen a user',
    body: UserChangesBody,
    answers: { 200: { json: UserStateAnswer } },
    example: { body: { suspended: false } },
  },
  'DELETE /admin/v1/users/:id/factors': {
    tag,
    summary: "Remove a user's second factors",
    notes: "For a user who has lost them. The user's sessions end, and the user gets a mail.",
    answers: { 204: {} },
  },
  'POST /admin/v1/users/:id/credits': credit,
  'POST /admin/v1/users/:id/adjustments': adjust('a user'),
  'GET /admin/v1/users/:id/entries': entriesOf('a user'),
  'GET /admin/v1/users/:id/keys': { tag, summary: 'List keys of a user', answers: { 200: { json: KeyList } } },
  'GET /admin/v1/users/:id/usage': usageOf('a user'),
  'POST /admin/v1/users/:id/keys': {
    tag,
    summary: 'Create a key for a user',
    notes: 'The secret is shown only in this answer.',
    body: NewKeyBody,
    answers: { 201: { json: NewKeyObject } },
    errors: ['http_409'],
    example: { body: { name: 'first', keyType: 'standard' } },
  },
  'PATCH /admin/v1/keys/:id': {
    tag,
    summary: 'Switch a key on or off',
    body: KeySwitchBody,
    answers: { 200: { json: KeyChangedAnswer } },
    example: { body: { enabled: true } },
  },
  'DELETE /admin/v1/keys/:id': { tag, summary: 'Delete a key', answers: { 204: {} } },
};

const organizations: Descriptions = {
  'GET /admin/v1/orgs': {
    tag,
    summary: 'List organizations',
    query: searchFor(ORG_SORTS),
    answers: { 200: { json: OrgListAnswer } },
  },
  'POST /admin/v1/orgs': {
    tag,
    summary: 'Create an organization',
    body: NewOrgBody,
    answers: { 201: { json: OrgAnswer } },
    errors: ['http_404', 'http_409'],
    example: { body: { name: 'Acme', ownerUserId: '$USER_ID' } },
  },
  'GET /admin/v1/orgs/:id': { tag, summary: 'Read an organization', answers: { 200: { json: OrgStateAnswer } } },
  'PATCH /admin/v1/orgs/:id': {
    tag,
    summary: 'Change an organization',
    notes: 'Changes its plan, credit line, seats, or whether it is suspended or vouched for.',
    body: OrgChangesBody,
    answers: { 200: { json: OrgStateAnswer } },
    errors: ['http_409'],
    example: { body: { seats: 50 } },
  },
  'POST /admin/v1/orgs/:id/credits': { ...credit, summary: 'Credit an organization' },
  'POST /admin/v1/orgs/:id/adjustments': adjust('an organization'),
  'POST /admin/v1/generations/:id/refund': {
    tag,
    summary: 'Refund a call',
    notes: 'Repeating it refunds only once. Limits and usage still count the call.',
    body: RefundBody,
    answers: { 200: { json: RefundedAnswer } },
    errors: ['http_409'],
    example: { body: { reason: 'The answer was cut off.' } },
  },
  'GET /admin/v1/orgs/:id/entries': entriesOf('an organization'),
  'GET /admin/v1/orgs/:id/usage': usageOf('an organization'),
  'GET /admin/v1/orgs/:id/members': {
    tag,
    summary: 'List members of an organization',
    answers: { 200: { json: MembersAnswer } },
  },
  'GET /admin/v1/orgs/:id/keys': {
    tag,
    summary: 'List keys of an organization',
    answers: { 200: { json: KeyList } },
  },
  'POST /admin/v1/orgs/:id/keys': {
    tag,
    summary: 'Create a key for a member',
    body: NewOrgKeyBody,
    answers: { 201: { json: NewKeyObject } },
    errors: ['http_409'],
    example: { body: { name: 'first', userId: '$USER_ID' } },
  },
  'GET /admin/v1/orgs/:id/statements': {
    tag,
    summary: 'Read the statement of a month',
    query: Type.Object(requiredMonth),
    answers: { 200: { json: StatementAnswer } },
    errors: ['http_409'],
    example: { query: 'year=2030&month=1' },
  },
  'POST /admin/v1/orgs/:id/statements/:month/paid': {
    tag,
    summary: 'Mark a statement as paid',
    notes: 'For an organization with the monthly plan. The month is written as `2030-01`.',
    body: StatementPaidBody,
    answers: { 200: { json: StatementAnswer } },
    errors: ['http_409'],
    example: { body: { reference: 'invoice 17' } },
  },
};

export const adminDescriptions: Descriptions = {
  ...users,
  ...organizations,
  'GET /admin/v1/codes': {
    tag,
    summary: 'List batches of codes',
    query: Type.Object(cursor),
    answers: { 200: { json: CodeBatchList } },
  },
  'POST /admin/v1/codes': {
    tag,
    summary: 'Make codes for credit',
    notes: 'Each code works once, for the first account that redeems it. The codes are shown only in this answer.',
    body: NewCodesBody,
    answers: { 201: { json: NewCodesAnswer } },
    example: { body: { count: 20, amountUsd: 5, note: 'Workshop' } },
  },
  'DELETE /admin/v1/codes/:id': {
    tag,
    summary: 'Withdraw the unused codes of a batch',
    answers: { 204: {} },
    errors: ['http_404'],
  },
  'POST /admin/v1/orders/:id/refund': {
    tag,
    summary: 'Refund a top-up through its provider',
    notes:
      "The credit is taken back, even if it was spent. Repeating the request refunds only once, and the provider's notification that follows changes nothing.",
    body: OrderRefundBody,
    answers: { 200: { json: OperatorOrder } },
    errors: ['http_404', 'http_409', 'http_502'],
    example: { body: { reason: 'ordered twice' } },
  },
  'GET /admin/v1/orders': {
    tag,
    summary: 'List top-ups of all accounts',
    query: Type.Object({
      state: Type.Optional(oneOf(TOP_UP_STATES, 'Only top-ups in this state.')),
      query: optional(
        "The email of who ordered it, or the id of an order, a user, an account or the provider's payment.",
      ),
      ...after,
    }),
    answers: { 200: { json: OperatorOrderList } },
  },
  'GET /admin/v1/audit-log': {
    tag,
    summary: "List the operators' actions",
    notes: 'Includes reading. Newest first.',
    query: Type.Object({
      operator: optional('Only actions of the person with this user id.'),
      changes: optional('true: only actions that change something.'),
      ...after,
    }),
    answers: { 200: { json: OperatorLogAnswer } },
  },
  'GET /admin/v1/ledger/check': {
    tag,
    summary: 'Check the books',
    notes:
      'Adds up everything since the last sealed month and reports each difference. With more than 50,000 entries it goes on where the last check ended, unless `full` is set. With `month` it checks that closed month.',
    query: Type.Object({
      month: optional('A closed month, YYYY-MM.'),
      full: optional('true: everything since the last sealed month; false: only what is new since the last check.'),
    }),
    answers: { 200: { json: LedgerCheckAnswer } },
  },
  'GET /admin/v1/ledger/months': {
    tag,
    summary: 'List the closed months',
    notes: 'The sealed months, oldest first.',
    answers: { 200: { json: LedgerMonthList } },
  },
  'GET /admin/v1/ledger/months/:month/entries': {
    tag,
    summary: 'Read the entries of a closed month',
    notes: 'As the lines of the file that the month is archived to, 5,000 on a page.',
    query: Type.Object({ after: optional('The `next` of the previous page.') }),
    answers: { 200: { json: LedgerLines } },
    errors: ['http_404'],
  },
  'GET /admin/v1/ledger/months/:month/checkpoints': {
    tag,
    summary: 'Read the checkpoints of a closed month',
    notes: 'The sums of each account in the month, 1,000 on a page.',
    query: Type.Object({ after: optional('The `next` of the previous page.') }),
    answers: { 200: { json: LedgerCheckpoints } },
    errors: ['http_404'],
  },
  'POST /admin/v1/ledger/months/:month/archive': {
    tag,
    summary: 'Archive a closed month',
    notes:
      'Removes the charges of the month from the database, if the digest is that of its entries. When `isDone` is false, send the request again.',
    body: ArchiveBody,
    answers: { 200: { json: ArchivedAnswer } },
    errors: ['http_404', 'http_409'],
    example: { body: { sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' } },
  },
};
