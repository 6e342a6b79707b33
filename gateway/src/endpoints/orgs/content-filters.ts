// GET and POST /api/orgs/:orgId/content-filters, PATCH and DELETE below it, and a dry run. Filters decide what leaves
// the organization, so only org_admins may change them.

import {
  ChangeFilterBody,
  type FilterObject,
  type FiltersAnswer,
  type FilterTestAnswer,
  NewFilterBody,
  TestFiltersBody,
} from '../../contract/guardrails.ts';
import { ApiError } from '../../errors/api-error.ts';
import { publicCode } from '../../errors/catalogue.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { DryRun, Filters } from '../../modules/guardrails/filters/filters.ts';
import type { FilterRule } from '../../modules/guardrails/filters/rule.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { given } from '../request-fields.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

export type FilterServices = RoleServices & Readonly<{ filters: Filters }>;

export const listFilters =
  (services: FilterServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const answer: FiltersAnswer = { rules: (await services.filters.list(orgId)).map(filterObject) };
    sendJson(exchange, 200, answer);
  };

export function createFilter(services: FilterServices): PrincipalHandler {
  const readBody = bodyReader(NewFilterBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { name, enabled = true, appliesTo = 'input', ...fields } = await readBody(exchange);
    const rule = await services.filters.create(
      orgId,
      { ...fields, appliesTo, name: name.trim(), isEnabled: enabled },
      actor,
    );
    sendJson(exchange, 201, filterObject(rule));
  };
}

export function changeFilter(services: FilterServices): PrincipalHandler {
  const readBody = bodyReader(ChangeFilterBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { enabled, name, ...fields } = await readBody(exchange);
    const changes = given({ ...fields, name: name?.trim(), isEnabled: enabled });
    const rule = await services.filters.change(orgId, exchange.params.filterId ?? '', changes, actor);
    if (rule === null) throw notFound();
    sendJson(exchange, 200, filterObject(rule));
  };
}

export const deleteFilter =
  (services: FilterServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    if (!(await services.filters.remove(orgId, exchange.params.filterId ?? '', actor))) throw notFound();
    sendEmpty(exchange, 204);
  };

export function testFilters(services: FilterServices): PrincipalHandler {
  const readBody = bodyReader(TestFiltersBody);
  return async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const { text } = await readBody(exchange);
    sendJson(exchange, 200, testAnswer(await services.filters.dryRun(orgId, text)));
  };
}

const notFound = (): ApiError => new ApiError('http_404', 'There is no such content filter.');

const filterObject = ({ isEnabled, createdAt, updatedAt, ...rule }: FilterRule): FilterObject => ({
  id: rule.id,
  name: rule.name,
  type: rule.type,
  pattern: rule.pattern,
  action: rule.action,
  appliesTo: rule.appliesTo,
  enabled: isEnabled,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

function testAnswer({ refusal, findings, redacted, undecided }: DryRun): FilterTestAnswer {
  return {
    allowed: refusal === null,
    error:
      refusal === null ? null : { status: refusal.status, code: publicCode(refusal.code), message: refusal.message },
    matches: findings.map(({ rule, span }) => ({
      ruleId: rule.id,
      name: rule.name,
      action: rule.action,
      start: span.start,
      end: span.end,
    })),
    redacted,
    undecided: undecided.map(({ id }) => id),
  };
}
