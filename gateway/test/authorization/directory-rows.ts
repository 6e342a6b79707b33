// Who may call what of single sign-on, of proven domains, and of what directories send.

import type { Json } from '../harness.ts';
import { anybody, directory, orgAdmin } from './profiles.ts';
import { type Row, row } from './row.ts';
import * as things from './things.ts';

const PATCH: Json = { Operations: [{ op: 'replace', path: 'externalId', value: 'x' }] };

/** A browser is led to a page of the console, which is served once it has been built. */
const PAGE = [200, 404];

// biome-ignore format: a table reads best with one row a line.
export const directoryRows: Readonly<Record<string, Row>> = {
  'GET /api/orgs/:orgId/provisioning': row(orgAdmin, { params: things.acme }),
  'POST /api/orgs/:orgId/provisioning/tokens': row(orgAdmin, { params: things.acme, body: { name: 'own' }, success: [201, 409] }),
  'DELETE /api/orgs/:orgId/provisioning/tokens/:id': row(orgAdmin, { params: things.acmeProvisioningToken, success: 204 }),
  'GET /scim/v2/ServiceProviderConfig': row(directory),
  'GET /scim/v2/ResourceTypes': row(directory),
  'GET /scim/v2/ResourceTypes/:id': row(directory, { params: () => ({ id: 'User' }) }),
  'GET /scim/v2/Schemas': row(directory),
  'GET /scim/v2/Schemas/:id': row(directory, { params: () => ({ id: 'urn:ietf:params:scim:schemas:core:2.0:User' }) }),
  'GET /scim/v2/Users': row(directory),
  'POST /scim/v2/Users': row(directory, { body: { userName: 'x@nowhere.example' }, success: 400 }),
  'POST /scim/v2/Users/.search': row(directory, { body: {} }),
  'POST /scim/v2/Groups/.search': row(directory, { body: {} }),
  'GET /scim/v2/Users/:id': row(directory, { params: things.acmePerson }),
  'PUT /scim/v2/Users/:id': row(directory, { params: things.acmePerson, body: { userName: 'x@nowhere.example' }, success: 400 }),
  'PATCH /scim/v2/Users/:id': row(directory, { params: things.acmePerson, body: PATCH }),
  'DELETE /scim/v2/Users/:id': row(directory, { params: things.acmePerson, success: 204 }),
  'GET /scim/v2/Groups': row(directory),
  'POST /scim/v2/Groups': row(directory, { body: () => ({ displayName: crypto.randomUUID() }), success: 201 }),
  'GET /scim/v2/Groups/:id': row(directory, { params: things.acmeGroup }),
  'PUT /scim/v2/Groups/:id': row(directory, { params: things.acmeGroup, body: () => ({ displayName: crypto.randomUUID() }) }),
  'PATCH /scim/v2/Groups/:id': row(directory, { params: things.acmeGroup, body: PATCH, success: 204 }),
  'DELETE /scim/v2/Groups/:id': row(directory, { params: things.acmeGroup, success: 204 }),
  'GET /api/auth/sso': row(anybody, { success: PAGE }),
  'GET /api/auth/sso/callback': row(anybody, { success: PAGE }),
  'GET /api/auth/sso/callback/:orgId': row(anybody, { params: things.acme, success: PAGE }),
  'GET /api/orgs/:orgId/sign-on': row(orgAdmin, { params: things.acme }),
  'PUT /api/orgs/:orgId/sign-on': row(orgAdmin, { params: things.acme, body: { issuer: 'https://login.example', clientId: 'c', clientSecret: 's' }, success: 409 }),
  'DELETE /api/orgs/:orgId/sign-on': row(orgAdmin, { params: things.acme, success: 404 }),
  'GET /api/orgs/:orgId/domains': row(orgAdmin, { params: things.acme }),
  'POST /api/orgs/:orgId/domains': row(orgAdmin, { params: things.acme, body: { domain: 'acme.example' }, success: 201 }),
  'POST /api/orgs/:orgId/domains/:domain/check': row(orgAdmin, { params: things.acmeDomain, success: 409 }),
  'DELETE /api/orgs/:orgId/domains/:domain': row(orgAdmin, { params: things.acmeDomain, success: 204 }),
};
