// OpenAPI descriptions of single sign-on.

import { Type } from '@sinclair/typebox';
import { DomainAnswer, DomainListAnswer, NewDomainBody, SignOnAnswer, SignOnBody } from '../../contract/sign-on.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { optional } from '../docs/queries.ts';

const tag = 'Single sign-on';

const callback: Description = {
  tag,
  summary: "Return from an organization's issuer",
  notes: 'For browsers: the answer redirects to the console, with a reason if the sign-in failed.',
  query: Type.Object({
    code: optional('Sent by the issuer.'),
    state: optional('Sent by the issuer.'),
    iss: optional('Sent by the issuer.'),
    error: optional('Sent by the issuer.'),
  }),
  answers: { 302: {} },
};

export const signOnDescriptions: Descriptions = {
  'GET /api/auth/sso': {
    tag,
    summary: 'Begin to sign in with an organization',
    notes:
      'For browsers: the answer redirects to the issuer of the organization that has confirmed the domain of the address.',
    query: Type.Object({
      email: optional('The address; its domain decides.'),
      issuer: optional("platform: the platform's own issuer."),
      returnTo: optional('The page of this site to return to.'),
    }),
    answers: { 302: {} },
  },
  'GET /api/auth/sso/callback': { ...callback, summary: "Return from the platform's issuer" },
  'GET /api/auth/sso/callback/:orgId': callback,
  'GET /api/orgs/:orgId/sign-on': {
    tag,
    summary: 'Read the single sign-on of an organization',
    answers: { 200: { json: SignOnAnswer } },
  },
  'PUT /api/orgs/:orgId/sign-on': {
    tag,
    summary: 'Set the single sign-on of an organization',
    notes:
      'Any OpenID Connect issuer. It can sign in only people with addresses of confirmed domains. Sessions of the previous issuer end.',
    body: SignOnBody,
    answers: { 200: { json: SignOnAnswer } },
    errors: ['http_409'],
    example: {
      body: {
        issuer: 'https://login.example.com',
        clientId: 'tollgate',
        clientSecret: '$CLIENT_SECRET',
        required: false,
        roles: [{ claim: 'groups', value: 'gateway-admins', role: 'org_admin' }],
      },
    },
  },
  'DELETE /api/orgs/:orgId/sign-on': {
    tag,
    summary: 'Remove the single sign-on of an organization',
    notes: 'Sessions that began at the issuer end.',
    answers: { 204: {} },
  },
  'DELETE /admin/v1/orgs/:id/sign-on': {
    tag: 'Operator',
    summary: 'Remove the single sign-on of an organization',
    notes: 'For an organization whose issuer is lost. Sessions that began at the issuer end.',
    answers: { 204: {} },
  },
  'GET /api/orgs/:orgId/domains': {
    tag,
    summary: 'List the domains of an organization',
    answers: { 200: { json: DomainListAnswer } },
  },
  'POST /api/orgs/:orgId/domains': {
    tag,
    summary: 'Claim a domain',
    notes: 'The domain counts when the TXT record of the answer is found.',
    body: NewDomainBody,
    answers: { 201: { json: DomainAnswer } },
    errors: ['http_409'],
    example: { body: { domain: 'example.com' } },
  },
  'POST /api/orgs/:orgId/domains/:domain/check': {
    tag,
    summary: 'Check the TXT record of a domain',
    answers: { 200: { json: DomainAnswer } },
    errors: ['http_409'],
  },
  'DELETE /api/orgs/:orgId/domains/:domain': { tag, summary: 'Remove a domain', answers: { 204: {} } },
};
