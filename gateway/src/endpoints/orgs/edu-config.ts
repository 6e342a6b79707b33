// GET and PATCH /api/orgs/:orgId/edu/config: which students may start a session, for how long, and what each session
// may use.

import { EduConfigBody, type EduConfigObject } from '../../contract/edu.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import { normalizeDomain } from '../../modules/edu/address.ts';
import { configObject, type EduConfig } from '../../modules/edu/config.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { given, usdField } from '../request-fields.ts';
import { requireAdmin } from './authority.ts';
import type { EduServices } from './edu-keys.ts';

export const readEduConfig =
  (services: EduServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const answer: EduConfigObject = configObject(await services.edu.institutions.readConfig(orgId));
    sendJson(exchange, 200, answer);
  };

export function changeEduConfig(services: EduServices): PrincipalHandler {
  const { edu, audit } = services;
  const readBody = bodyReader(EduConfigBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const changes = changesOf(await readBody(exchange));
    const config = await edu.institutions.changeConfig(orgId, changes, async (transaction, before, after) => {
      const [old, changed] = [configObject(before), configObject(after)];
      if (JSON.stringify(old) === JSON.stringify(changed)) return;
      const entry = { orgId, actor, targetType: 'org', targetId: orgId, before: old, after: changed };
      await audit.record(transaction, { ...entry, action: 'org.edu_config.update' });
    });
    const answer: EduConfigObject = configObject(config);
    sendJson(exchange, 200, answer);
  };
}

function changesOf({ allowedDomains, maxUsd, ...fields }: EduConfigBody): Partial<EduConfig> {
  const maxNanoUsd = usdField('maxUsd', maxUsd);
  const domains = allowedDomains === undefined ? undefined : domainsOf(allowedDomains);
  return given({ ...fields, allowedDomains: domains, maxNanoUsd });
}

/** Each domain once, in the form that a student's domain is compared with. */
function domainsOf(texts: readonly string[]): readonly string[] {
  const domains = texts.map((text, place) => {
    const domain = normalizeDomain(text.trim());
    if (domain !== null) return domain;
    throw new ApiError(
      'http_400',
      `allowedDomains.${place}: must be a mail domain, such as uni.example; there are no wildcards.`,
    );
  });
  return [...new Set(domains)];
}
