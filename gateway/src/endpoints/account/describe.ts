// OpenAPI descriptions of the routes on which a key's holder and a signed-in person read about an account.

import { Type } from '@sinclair/typebox';
import { AuthKeyAnswer, CreditsAnswer, GenerationAnswer, KeyInfoAnswer } from '../../contract/account.ts';
import { BreakerAnswer, BreakerBody } from '../../contract/breaker.ts';
import { CacheAnswer } from '../../contract/cache.ts';
import { RedeemBody, RedeemedAnswer } from '../../contract/codes.ts';
import { OwnExposure, OwnExposureList } from '../../contract/exposure.ts';
import { CallLogAnswer } from '../../contract/overview.ts';
import { GenerationListAnswer, OwnAccountAnswer } from '../../contract/own-account.ts';
import { oneOf } from '../../contract/shape.ts';
import { AccountStatementAnswer } from '../../contract/statement.ts';
import {
  HEATMAP_METRICS,
  INSIGHTS_PERIODS,
  InsightsAnswer,
  USAGE_GRAINS,
  USAGE_PERIODS,
  USAGE_SERIES,
  UsageAnswer,
} from '../../contract/usage.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { after, callQuery, day, optional, statementQuery } from '../docs/queries.ts';
import { forChosenAccount, signedIn } from '../docs/variants.ts';

const filters = {
  model: optional('Only calls of this model.'),
  api_key_id: optional('Only calls with this key.'),
  app: optional('Only calls of this application.'),
};

const credits: Description = {
  tag: 'Account',
  summary: 'Read credits',
  answers: { 200: { json: CreditsAnswer } },
};

const generation = {
  tag: 'Account',
  summary: 'Read the record of a call',
  query: Type.Object({ id: Type.String({ description: "The id of the call's answer." }) }),
  answers: { 200: { json: GenerationAnswer } },
  errors: ['http_404'],
  example: { query: 'id=$GENERATION_ID' },
} satisfies Description;

export const usage = {
  tag: 'Account',
  summary: 'Read usage',
  notes: 'day, week, month and year are calendar periods in UTC; the others count back from now.',
  query: Type.Object({
    period: Type.Optional(oneOf(USAGE_PERIODS, 'Default: month.')),
    from: day('With period=custom: the first day,'),
    to: day('With period=custom: the last day,'),
    series: Type.Optional(oneOf(USAGE_SERIES, 'Adds figures by day for keys or applications.')),
    by: Type.Optional(
      oneOf(USAGE_GRAINS, 'Default: day. hour works for eight days at most, and is always used for 24h.'),
    ),
    compare: Type.Optional(oneOf(['previous'], 'Adds the usage of the span of the same length just before.')),
    ...filters,
    format: Type.Optional(oneOf(['json', 'csv'], 'csv is the time series for a spreadsheet.')),
  }),
  answers: { 200: { json: UsageAnswer, bytes: ['text/csv'] } },
  example: { query: 'period=week' },
} satisfies Description;

const cache = {
  tag: 'Account',
  summary: 'Read what the cache of answers saved',
  notes: "For the last 30 days. A member's key shows what its holder saved.",
  answers: { 200: { json: CacheAnswer } },
} satisfies Description;

const purge: Description = {
  tag: 'Account',
  summary: 'Empty the cache of answers',
  notes: 'Removes answers that you got. Only administrators can empty the shared cache of an organization.',
  answers: { 204: {} },
};

const insights = {
  tag: 'Account',
  summary: 'Read insights',
  notes: 'Your usage, and at which hours. Figures are up to five minutes old.',
  query: Type.Object({
    period: Type.Optional(oneOf(INSIGHTS_PERIODS, 'Default: 7d.')),
    heatmap_metric: Type.Optional(oneOf(HEATMAP_METRICS, 'What the heat map shows; default: spend.')),
    ...filters,
  }),
  answers: { 200: { json: InsightsAnswer } },
  example: { query: 'period=30d' },
} satisfies Description;

const statement: Description = {
  tag: 'Account',
  summary: 'Read the statement',
  notes: "Every entry with the balance after it. A member's standard key cannot read the statement of an organization.",
  query: statementQuery,
  answers: { 200: { json: AccountStatementAnswer, bytes: ['text/csv'] } },
  example: { query: 'from=2030-01-01&to=2030-01-31' },
};

const redeem: Description = {
  tag: 'Credits',
  summary: 'Redeem a code',
  notes: 'A code works once. The account that redeemed it may repeat the request, which adds nothing.',
  body: RedeemBody,
  answers: { 200: { json: RedeemedAnswer } },
  errors: ['http_404', 'http_429'],
  example: { body: { code: 'TG-00000-00000-00000-00000-00000' } },
};

const readBreaker: Description = {
  tag: 'Account',
  summary: 'Read your spend breaker',
  answers: { 200: { json: BreakerAnswer } },
};

const changeBreaker: Description = {
  tag: 'Account',
  summary: 'Change your spend breaker',
  notes: 'It limits all of your keys together. A field that is left out does not change; null means the default.',
  body: BreakerBody,
  answers: { 200: { json: BreakerAnswer } },
  example: { body: { cbEnabled: true, cbMinuteUsd: 5, cbHourlyUsd: 20 } },
};

export const accountDescriptions: Descriptions = {
  'GET /v1/key': {
    tag: 'Account',
    summary: 'Read the calling key',
    answers: { 200: { json: KeyInfoAnswer } },
  },
  'GET /v1/auth/key': {
    tag: 'Account',
    summary: 'Read the calling key, in short',
    notes: 'Not counted against the rate limit.',
    answers: { 200: { json: AuthKeyAnswer } },
  },
  'GET /v1/credits': credits,
  'POST /v1/credits/redeem': redeem,
  'GET /v1/generation': generation,
  'GET /v1/usage': usage,
  'GET /v1/cache': cache,
  'DELETE /v1/cache': purge,
  'GET /v1/insights': insights,
  'GET /v1/statement': statement,
  'GET /v1/account/circuit-breaker': readBreaker,
  'PATCH /v1/account/circuit-breaker': changeBreaker,
  'GET /v1/account/exposure': {
    tag: 'Account',
    summary: 'Read what you left unpaid',
    notes:
      'Calls that you break off cost nothing, within an allowance. Beyond the allowance calls are refused for a while.',
    answers: { 200: { json: OwnExposure } },
  },
  'GET /api/account': forChosenAccount({
    tag: 'Account',
    summary: 'Read your account',
    answers: { 200: { json: OwnAccountAnswer } },
  }),
  'GET /api/account/credits': forChosenAccount(credits),
  'POST /api/account/redeem': forChosenAccount(redeem),
  'GET /api/account/usage': forChosenAccount(usage),
  'GET /api/account/cache': forChosenAccount(cache),
  'DELETE /api/account/cache': purge,
  'GET /api/account/insights': forChosenAccount(insights),
  'GET /api/account/generation': forChosenAccount(generation),
  'GET /api/account/calls': forChosenAccount({
    tag: 'Account',
    summary: 'List calls, including refused ones',
    notes: 'Newest first; of the last 31 days by default.',
    query: Type.Object(callQuery),
    answers: { 200: { json: CallLogAnswer, bytes: ['text/csv'] } },
    example: { query: 'outcome=refused' },
  }),
  'GET /api/account/generations': forChosenAccount({
    tag: 'Account',
    summary: 'List calls',
    notes: 'Newest first.',
    query: Type.Object({ ...filters, from: day('The first day,'), to: day('The last day,'), ...after }),
    answers: { 200: { json: GenerationListAnswer } },
    example: { query: 'limit=10' },
  }),
  'GET /api/account/circuit-breaker': signedIn(readBreaker),
  'PATCH /api/account/circuit-breaker': signedIn(changeBreaker),
  'GET /api/account/exposures': signedIn({
    tag: 'Account',
    summary: 'Read what you left unpaid, in every account',
    answers: { 200: { json: OwnExposureList } },
  }),
};
