// OpenAPI descriptions of an organization's spending: its breakers, its reports, and the filters on what its keys send.

import { Type } from '@sinclair/typebox';
import { BreakerBody, OrgBreakerAnswer } from '../../contract/breaker.ts';
import {
  ChangeFilterBody,
  FilterObject,
  FiltersAnswer,
  FilterTestAnswer,
  NewFilterBody,
  TestFiltersBody,
} from '../../contract/guardrails.ts';
import { ChangeGuardBody, GuardObject, GuardsAnswer, NewGuardBody } from '../../contract/guards.ts';
import { ByMemberAnswer, ByModelAnswer, ByTeamAnswer, OverviewAnswer, REPORT_VIEWS } from '../../contract/reports.ts';
import { oneOf } from '../../contract/shape.ts';
import { AccountStatementAnswer } from '../../contract/statement.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { currentMonth, requiredMonth, statementQuery } from '../docs/queries.ts';

const tag = 'Organization spending';
const query = 'year=2030&month=1';

const breaker = (whose: string): Readonly<Record<'read' | 'change', Description>> => ({
  read: { tag, summary: `Read the spend breaker of ${whose}`, answers: { 200: { json: OrgBreakerAnswer } } },
  change: {
    tag,
    summary: `Change the spend breaker of ${whose}`,
    notes: 'A field that is left out does not change; null inherits from the layer above.',
    body: BreakerBody,
    answers: { 200: { json: OrgBreakerAnswer } },
    example: { body: { cbEnabled: true, cbMinuteUsd: 5, cbHourlyUsd: 20 } },
  },
});

const ofOrganization = breaker('an organization');
const ofTeam = breaker('a team');
const ofMember = breaker('a member');

export const orgSpendDescriptions: Descriptions = {
  'GET /api/orgs/:orgId/circuit-breaker': ofOrganization.read,
  'PATCH /api/orgs/:orgId/circuit-breaker': ofOrganization.change,
  'GET /api/orgs/:orgId/teams/:teamId/circuit-breaker': ofTeam.read,
  'PATCH /api/orgs/:orgId/teams/:teamId/circuit-breaker': ofTeam.change,
  'GET /api/orgs/:orgId/members/:memberId/circuit-breaker': ofMember.read,
  'PATCH /api/orgs/:orgId/members/:memberId/circuit-breaker': ofMember.change,
  'DELETE /api/orgs/:orgId/cache': {
    tag,
    summary: 'Empty the cache of answers',
    notes: 'Removes all answers that its members got. Only for administrators.',
    answers: { 204: {} },
  },
  'GET /api/orgs/:orgId/reports/overview': {
    tag,
    summary: 'Report a month, day by day',
    query: Type.Object(currentMonth),
    answers: { 200: { json: OverviewAnswer } },
    example: { query },
  },
  'GET /api/orgs/:orgId/reports/by-team': {
    tag,
    summary: 'Report a month by team',
    query: Type.Object(currentMonth),
    answers: { 200: { json: ByTeamAnswer } },
    example: { query },
  },
  'GET /api/orgs/:orgId/reports/by-model': {
    tag,
    summary: 'Report a month by model',
    query: Type.Object(requiredMonth),
    answers: { 200: { json: ByModelAnswer } },
    example: { query },
  },
  'GET /api/orgs/:orgId/reports/by-member': {
    tag,
    summary: 'Report a month by member',
    notes: 'Only for administrators.',
    query: Type.Object(requiredMonth),
    answers: { 200: { json: ByMemberAnswer } },
    example: { query },
  },
  'GET /api/orgs/:orgId/reports/export': {
    tag,
    summary: 'Export a report',
    notes: 'As CSV for a spreadsheet.',
    query: Type.Object({ view: oneOf(REPORT_VIEWS, 'Which report to export.'), ...requiredMonth }),
    answers: { 200: { bytes: ['text/csv'] } },
    example: { query: `view=by-model&${query}`, options: ['-o report.csv'] },
  },
  'GET /v1/orgs/:orgId/statement': {
    tag,
    summary: "Read an organization's statement",
    notes: 'Every entry with the balance after it. For administrators and billing viewers.',
    query: statementQuery,
    answers: { 200: { json: AccountStatementAnswer, bytes: ['text/csv'] } },
    example: { query: 'from=2030-01-01&to=2030-01-31' },
  },
};

const filters = 'Content filters';

export const contentFilterDescriptions: Descriptions = {
  'GET /api/orgs/:orgId/content-filters': {
    tag: filters,
    summary: 'List content filters',
    answers: { 200: { json: FiltersAnswer } },
  },
  'POST /api/orgs/:orgId/content-filters': {
    tag: filters,
    summary: 'Create a content filter',
    notes: 'At most 100. `block` refuses a call, `redact` hides matches, `flag` only logs them.',
    body: NewFilterBody,
    answers: { 201: { json: FilterObject } },
    errors: ['http_409'],
    example: { body: { name: 'Project names', type: 'keyword', pattern: 'falcon', action: 'redact' } },
  },
  'POST /api/orgs/:orgId/content-filters/test': {
    tag: filters,
    summary: 'Try content filters on a text',
    body: TestFiltersBody,
    answers: { 200: { json: FilterTestAnswer } },
    example: { body: { text: 'When does falcon fly?' } },
  },
  'PATCH /api/orgs/:orgId/content-filters/:filterId': {
    tag: filters,
    summary: 'Change a content filter',
    body: ChangeFilterBody,
    answers: { 200: { json: FilterObject } },
    errors: ['http_409'],
    example: { body: { enabled: false } },
  },
  'DELETE /api/orgs/:orgId/content-filters/:filterId': {
    tag: filters,
    summary: 'Delete a content filter',
    answers: { 204: {} },
  },
  'GET /api/orgs/:orgId/guards': {
    tag: filters,
    summary: 'List outside guards',
    notes: 'With their latest decisions.',
    answers: { 200: { json: GuardsAnswer } },
  },
  'POST /api/orgs/:orgId/guards': {
    tag: filters,
    summary: 'Add an outside guard',
    notes:
      'A service at a public https address, at most five. It gets prompts or answers and decides whether they may pass.',
    body: NewGuardBody,
    answers: { 201: { json: GuardObject } },
    errors: ['http_409'],
    example: { body: { name: 'Names', form: 'webhook', url: 'https://example.com/guard', stages: ['before'] } },
  },
  'PATCH /api/orgs/:orgId/guards/:guardId': {
    tag: filters,
    summary: 'Change a guard',
    body: ChangeGuardBody,
    answers: { 200: { json: GuardObject } },
    example: { body: { enabled: false } },
  },
  'DELETE /api/orgs/:orgId/guards/:guardId': {
    tag: filters,
    summary: 'Delete a guard',
    answers: { 204: {} },
  },
};
