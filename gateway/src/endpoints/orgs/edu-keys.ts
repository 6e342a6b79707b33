// GET, POST /api/orgs/:orgId/edu/keys and DELETE below it: the keys that an institution gives to its students.

import { type EduKeyObject, type EduKeysAnswer, NewEduKeyBody, type NewEduKeyObject } from '../../contract/edu.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Edu } from '../../modules/edu/create-edu.ts';
import type { InstitutionKey } from '../../modules/edu/institutions.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

export type EduServices = RoleServices &
  Readonly<{ edu: Pick<Edu, 'institutions' | 'sessions'>; audit: Pick<Audit, 'record'> }>;

const TARGET_TYPE = 'edu_key';

export const listEduKeys =
  (services: EduServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const keys = await services.edu.institutions.listKeys(orgId);
    const answer: EduKeysAnswer = { keys: keys.map(keyObject) };
    sendJson(exchange, 200, answer);
  };

export function createEduKey(services: EduServices): PrincipalHandler {
  const { edu, audit } = services;
  const readBody = bodyReader(NewEduKeyBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { name } = await readBody(exchange);
    const { key, secret } = await edu.institutions.createKey(orgId, name.trim(), (transaction, created) => {
      const entry = { orgId, actor, targetType: TARGET_TYPE, targetId: created.id, after: { name: created.name } };
      return audit.record(transaction, { ...entry, action: 'org.edu_key.create' });
    });
    const answer: NewEduKeyObject = { ...keyObject(key), key: secret };
    sendJson(exchange, 201, answer);
  };
}

export const deleteEduKey =
  (services: EduServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { edu, audit } = services;
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const place = { orgId, id: exchange.params.id ?? '' };
    const isRevoked = await edu.institutions.revokeKey(place, (transaction, { id, name }) => {
      const entry = { orgId, actor, targetType: TARGET_TYPE, targetId: id, before: { name } };
      return audit.record(transaction, { ...entry, action: 'org.edu_key.delete' });
    });
    if (!isRevoked) throw new ApiError('http_404', 'There is no such key.');
    sendEmpty(exchange, 204);
  };

const keyObject = ({ id, name, prefix, suffix, createdAt }: InstitutionKey): EduKeyObject => ({
  id,
  name,
  prefix,
  suffix,
  createdAt: createdAt.toISOString(),
});
