// OpenAPI descriptions of keys: the same for a management key, for a signed-in person, and for an organization's
// administrators.

import { KeyList, NewKeyObject } from '../../contract/account.ts';
import { ChangeKeyBody, CreateKeyBody, CreateOrgKeyBody, KeyChangedAnswer } from '../../contract/keys.ts';
import {
  LeakedKeyList,
  LeakReportAnswer,
  LeakReportBody,
  ScannerAnswer,
  ScannerReportBody,
} from '../../contract/leaks.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { ofOrganization, signedIn } from '../docs/variants.ts';

const list: Description = { tag: 'Keys', summary: 'List keys', answers: { 200: { json: KeyList } } };

const create: Description = {
  tag: 'Keys',
  summary: 'Create a key',
  notes: 'The secret is shown only in this answer.',
  body: CreateKeyBody,
  answers: { 201: { json: NewKeyObject } },
  errors: ['http_409'],
  example: { body: { name: 'website', limit: 20, limit_reset: 'monthly' } },
};

const change: Description = {
  tag: 'Keys',
  summary: 'Change a key',
  notes: 'Its name and its secret cannot be changed.',
  body: ChangeKeyBody,
  answers: { 200: { json: KeyChangedAnswer } },
  example: { body: { spendLimitUsd: 50, spendLimitPeriod: 'monthly' } },
};

const remove: Description = {
  tag: 'Keys',
  summary: 'Delete a key',
  notes: 'The key is refused from the next call on.',
  answers: { 204: {} },
};

export const keyDescriptions: Descriptions = {
  'GET /v1/keys': list,
  'POST /v1/keys': create,
  'PATCH /v1/keys/:id': change,
  'DELETE /v1/keys/:id': remove,
  'POST /v1/keys/leaked': {
    tag: 'Keys',
    summary: 'Report a key that was seen in public',
    notes:
      'Anybody may send it, without a key. The holder of the key is told, and the key is switched off if the holder chose that. ' +
      'The answer is the same whether or not the key exists.',
    body: LeakReportBody,
    answers: { 202: { json: LeakReportAnswer } },
    example: { body: { text: 'API_KEY=sk-tg-…', place: 'https://example.com/paste/1' } },
  },
  'POST /api/leaks/github': {
    tag: 'Keys',
    summary: 'Receive a report of a scanner of public code',
    notes: "In the form of GitHub's partner program for secret scanning, with its signature.",
    body: ScannerReportBody,
    answers: { 200: { json: ScannerAnswer } },
    errors: ['http_401', 'http_404', 'http_503'],
  },
  'POST /admin/v1/keys/leaked': {
    tag: 'Operator',
    summary: 'Report keys that were seen in public, and learn whose they are',
    body: LeakReportBody,
    answers: { 200: { json: LeakedKeyList } },
    example: { body: { text: 'API_KEY=sk-tg-…', place: 'https://example.com/paste/1' } },
  },
  'GET /api/account/keys': signedIn(list),
  'POST /api/account/keys': signedIn(create),
  'PATCH /api/account/keys/:id': signedIn(change),
  'DELETE /api/account/keys/:id': signedIn(remove),
  'GET /api/orgs/:orgId/keys': ofOrganization(list),
  'POST /api/orgs/:orgId/keys': { ...ofOrganization(create), body: CreateOrgKeyBody },
  'PATCH /api/orgs/:orgId/keys/:id': ofOrganization(change),
  'DELETE /api/orgs/:orgId/keys/:id': ofOrganization(remove),
};
