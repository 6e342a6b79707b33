// OpenAPI descriptions of the operator's routes on the platform: its configuration, health, costs and evidence.

import { Type } from '@sinclair/typebox';
import { BrakeAnswer, BrakeBody } from '../../contract/breaker.ts';
import { AutoTierEntry, AutoTierView, ConfigDocument } from '../../contract/config.ts';
import { AppliedConfig, ConfigRevisionDetail, ConfigRevisionList } from '../../contract/config-revisions.ts';
import { ExplanationAnswer, UpstreamCostsAnswer } from '../../contract/explanation.ts';
import { ExposureBody, UserExposure, UserExposureList } from '../../contract/exposure.ts';
import { EvidenceAnswer, EvidenceListAnswer } from '../../contract/guardrails.ts';
import { RouteHealthAnswer, RouteHistoryAnswer } from '../../contract/health.ts';
import { CallLogAnswer, OperatorOverviewAnswer } from '../../contract/overview.ts';
import { RootSecretAnswer } from '../../contract/root-secret.ts';
import { AbsorbedAnswer, DropMonthsAnswer, DropMonthsBody, RebuildAnswer, RebuildBody } from '../../contract/usage.ts';
import type { Descriptions } from '../docs/description.ts';
import { after, callQuery, day, dryRun, optional } from '../docs/queries.ts';
import { RestoreBody } from './config-revisions.ts';

const confirmPrices = {
  confirm_prices: Type.Optional(Type.Boolean({ description: 'Prices that look like a slip of the unit are meant.' })),
};

const tag = 'Operator';
const date = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description });

const configuration: Descriptions = {
  'GET /admin/v1/config': {
    tag,
    summary: 'Read the configuration',
    notes: 'API keys are masked.',
    answers: { 200: { json: ConfigDocument } },
  },
  'PUT /admin/v1/config': {
    tag,
    summary: 'Replace the configuration',
    notes:
      'A masked API key in the document keeps the stored key, so you can read a document, edit it and send it back.',
    query: Type.Object({
      ...dryRun,
      merge: Type.Optional(
        Type.Boolean({ description: 'Lay it over the live one, which keeps what it does not mention.' }),
      ),
      ...confirmPrices,
      note: optional('The reason, for the list of revisions.'),
      author: optional('The author, for the list of revisions; operator by default.'),
    }),
    body: ConfigDocument,
    answers: { 200: { json: AppliedConfig } },
    errors: ['http_409'],
    example: { options: ['-H "Content-Type: application/json"', '-d @config.json'] },
  },
  'GET /admin/v1/config/revisions': {
    tag,
    summary: 'List the revisions of the configuration',
    notes: 'Newest first: who applied what, when and why.',
    query: Type.Object(after),
    answers: { 200: { json: ConfigRevisionList } },
  },
  'GET /admin/v1/config/revisions/:revision': {
    tag,
    summary: 'Read a revision of the configuration, and what it changed',
    query: Type.Object({
      against: Type.Optional(
        Type.Integer({ description: 'Compare with this revision; the one before it unless said.' }),
      ),
    }),
    answers: { 200: { json: ConfigRevisionDetail } },
  },
  'POST /admin/v1/config/revisions/:revision/restore': {
    tag,
    summary: 'Make an earlier revision live again',
    notes: 'Exactly as it was, its API keys included; it becomes a new revision.',
    query: Type.Object({ ...dryRun, ...confirmPrices }),
    body: RestoreBody,
    answers: { 200: { json: AppliedConfig } },
    errors: ['http_409'],
    example: { body: { note: 'the new prices were wrong' } },
  },
  'GET /admin/v1/auto-router/:table/:tier': {
    tag,
    summary: 'Read a tier of the auto router',
    answers: { 200: { json: AutoTierView } },
  },
  'PATCH /admin/v1/auto-router/:table/:tier': {
    tag,
    summary: 'Change a tier of the auto router',
    body: AutoTierEntry,
    answers: { 200: { json: AutoTierView } },
    example: { body: { enabled: false } },
  },
  'GET /admin/v1/brake': { tag, summary: 'Read the emergency brake', answers: { 200: { json: BrakeAnswer } } },
  'GET /admin/v1/secret': {
    tag,
    summary: 'Read the progress of a change of the root secret',
    answers: { 200: { json: RootSecretAnswer } },
  },
  'PATCH /admin/v1/brake': {
    tag,
    summary: 'Change the emergency brake',
    notes: 'It limits the spending of all accounts together. A value of 0 stops all calls.',
    body: BrakeBody,
    answers: { 200: { json: BrakeAnswer } },
    example: { body: { enabled: true, minuteUsd: 100, hourUsd: 1000 } },
  },
};

export const platformDescriptions: Descriptions = {
  ...configuration,
  'GET /admin/v1/health/routes': {
    tag,
    summary: 'Read the health of routes',
    answers: { 200: { json: RouteHealthAnswer } },
  },
  'GET /admin/v1/health/history': {
    tag,
    summary: 'Read the health of a route in the last 24 hours',
    query: Type.Object({
      provider: Type.String({ description: 'The provider.' }),
      upstream_model: Type.String({ description: "The provider's name of the model." }),
    }),
    answers: { 200: { json: RouteHistoryAnswer } },
    example: { query: 'provider=sim&upstream_model=m' },
  },
  'GET /admin/v1/overview': {
    tag,
    summary: 'Read the overview',
    notes: 'Revenue, cost, calls and people of a span of days (default: the last 30), and what needs attention now.',
    query: Type.Object({ from: day('The first day,'), to: day('The last day,') }),
    answers: { 200: { json: OperatorOverviewAnswer } },
    example: { query: 'from=2030-01-01&to=2030-01-31' },
  },
  'GET /admin/v1/calls': {
    tag,
    summary: 'List all calls',
    notes: 'Answered, failed and refused calls, newest first; of the last 31 days by default. A page may end early.',
    query: Type.Object({
      ...callQuery,
      org: optional('Only calls that this organization paid.'),
      user: optional('Only calls of this person, by id or address.'),
    }),
    answers: { 200: { json: CallLogAnswer, bytes: ['text/csv'] } },
    errors: ['http_404'],
    example: { query: 'outcome=refused&limit=20' },
  },
  'GET /admin/v1/generations/:id/explain': {
    tag,
    summary: 'Explain what a call cost',
    answers: { 200: { json: ExplanationAnswer } },
  },
  'GET /admin/v1/upstream-costs': {
    tag,
    summary: 'Read what providers should have billed',
    notes: 'For a span of days, to compare with their invoices.',
    query: Type.Object({
      from: date('The first day.'),
      to: date('The last day.'),
      provider: optional('Only this provider.'),
    }),
    answers: { 200: { json: UpstreamCostsAnswer } },
    errors: ['http_409'],
    example: { query: 'from=2030-01-01&to=2030-01-31' },
  },
  'GET /admin/v1/absorbed': {
    tag,
    summary: 'Read the cost that was not charged',
    answers: { 200: { json: AbsorbedAnswer } },
  },
  'GET /admin/v1/exposures': {
    tag,
    summary: 'List people who left calls unpaid',
    notes: 'People with unpaid cost that counts now. `GET /admin/v1/absorbed` has all cost that was not charged.',
    answers: { 200: { json: UserExposureList } },
  },
  'PATCH /admin/v1/exposures/:accountId/:userId': {
    tag,
    summary: 'Lift a restriction or raise an allowance',
    notes: "The account is the user's own id, or an organization's.",
    body: ExposureBody,
    answers: { 200: { json: UserExposure } },
    example: { body: { restricted: false, extraUsd: 5 } },
  },
  'GET /admin/v1/evidence': {
    tag,
    summary: 'List what moderation refused',
    notes: 'Newest first, without the texts.',
    query: Type.Object({
      user: optional('Only of this user, by id or address.'),
      account: optional('Only of this account.'),
      category: optional('Only of this kind.'),
      from: optional('A date or a time in ISO 8601.'),
      to: optional('A date or a time in ISO 8601.'),
      ...after,
    }),
    answers: { 200: { json: EvidenceListAnswer } },
    errors: ['http_404'],
  },
  'GET /admin/v1/evidence/:id': {
    tag,
    summary: 'Read a text that moderation refused',
    notes: 'The reading is logged.',
    answers: { 200: { json: EvidenceAnswer } },
  },
  'POST /admin/v1/usage/rebuild': {
    tag,
    summary: 'Add up usage again',
    body: RebuildBody,
    answers: { 200: { json: RebuildAnswer } },
    errors: ['http_409'],
    example: { body: { from: '2030-01-01', to: '2030-01-31' } },
  },
  'POST /admin/v1/usage/drop-months': {
    tag,
    summary: 'Drop the records of old months',
    notes: 'They cannot be brought back. The two newest months cannot be dropped.',
    body: DropMonthsBody,
    answers: { 200: { json: DropMonthsAnswer } },
    example: { body: { before: '2020-01' } },
  },
};
