// GET /admin/v1/exposures: users who have left calls unpaid, and who of them is restricted. PATCH on one of them lifts
// the restriction or raises the allowance.

import { ExposureBody, type UserExposure, type UserExposureList } from '../../contract/exposure.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { OperatorLog } from '../../modules/audit/operator-log.ts';
import type { ClientAddress } from '../../modules/identity/client-address.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Exposure, ExposureView } from '../../modules/limits/exposure.ts';
import { OPERATOR } from '../../modules/orgs/change.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import { exposureObject } from '../exposure-object.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { usdField } from '../request-fields.ts';
import { userNotFound } from './known-user.ts';

type ExposureServices = Readonly<{
  database: Database;
  logger: Logger;
  exposure: Pick<Exposure, 'list' | 'view' | 'lift' | 'raise'>;
  identity: Pick<Identity, 'findUser'>;
  organizations: Pick<Organizations, 'find'>;
  audit: Pick<Audit, 'record'>;
  operatorLog: Pick<OperatorLog, 'record'>;
  clientAddress: ClientAddress;
}>;

const EXPOSURES_MAX = 500;

export const listExposures =
  ({ exposure }: ExposureServices): Handler =>
  async (exchange) => {
    const answer: UserExposureList = { exposures: (await exposure.list(EXPOSURES_MAX)).map(toAnswer) };
    sendJson(exchange, 200, answer);
  };

export function changeExposure(services: ExposureServices): OperatorHandler {
  const readBody = bodyReader(ExposureBody);
  return async (exchange, { userId: operatorUserId }) => {
    const { restricted, extraUsd } = await readBody(exchange);
    const extraNanoUsd = usdField('extraUsd', extraUsd) ?? null;
    const subject = await knownSubject(exchange, services);
    const before = await services.exposure.view(subject);
    const after = await change(before, { isLifted: restricted === false, extraNanoUsd }, services);
    await recordChange(exchange, { before, after, operatorUserId }, services);
    sendJson(exchange, 200, toAnswer(after));
  };
}

type Wish = Readonly<{ isLifted: boolean; extraNanoUsd: NanoUsd | null }>;

async function change(
  before: ExposureView,
  { isLifted, extraNanoUsd }: Wish,
  { exposure }: ExposureServices,
): Promise<ExposureView> {
  const raised = extraNanoUsd === null ? before : await exposure.raise(before, extraNanoUsd);
  return isLifted ? exposure.lift(before) : raised;
}

/**
 * The user must exist, so that a typing error does not create a row for nobody. A student has no account and is known
 * by what they have left unpaid in their organization.
 */
async function knownSubject({ params }: Exchange, { identity, organizations, exposure }: ExposureServices) {
  const { accountId = '', userId = '' } = params;
  const subject = { accountId, userId };
  const isPerson = (await identity.findUser(userId)) !== null;
  if (accountId === userId && !isPerson) throw userNotFound();
  if (accountId !== userId && (await organizations.find(accountId)) === null) {
    throw new ApiError('http_404', 'There is no such account.');
  }
  if (!isPerson && !hasStanding(await exposure.view(subject))) throw userNotFound();
  return subject;
}

const hasStanding = ({ unpaidNanoUsd, extraNanoUsd, restrictions, restriction }: ExposureView): boolean =>
  unpaidNanoUsd > 0n || extraNanoUsd > 0n || restrictions > 0 || restriction !== null;

type Changed = Readonly<{ before: ExposureView; after: ExposureView; operatorUserId: string | null }>;

/** The operator's log has the change; an organization sees it in its own log as well. */
async function recordChange(
  { request, route, requestId }: Exchange,
  { before, after, operatorUserId }: Changed,
  services: ExposureServices,
): Promise<void> {
  const { accountId, userId } = after;
  const figures = { ...inWords('before', before), ...inWords('after', after) };
  await services.operatorLog.record({
    method: request.method ?? '',
    route: route.path,
    params: { accountId, userId, ...figures },
    requestId,
    ip: services.clientAddress(request),
    operatorUserId,
  });
  services.logger.info(
    {
      accountId,
      userId,
      extraNanoUsd: after.extraNanoUsd,
      isLifted: before.restriction !== null && after.restriction === null,
    },
    'the operator changed what a user may leave unpaid',
  );
  if (accountId === userId) return;
  await services.audit.record(services.database, {
    ...{
      orgId: accountId,
      actor: OPERATOR,
      action: 'org_member.exposure.update',
      targetType: 'user',
      targetId: userId,
    },
    before: logged(before),
    after: logged(after),
  });
}

function inWords(when: 'before' | 'after', { restriction, extraNanoUsd }: ExposureView) {
  return {
    [`${when}.restricted`]: String(restriction !== null),
    [`${when}.extraUsd`]: String(usdNumber(extraNanoUsd)),
  };
}

const logged = ({ restriction, restrictions, extraNanoUsd }: ExposureView) => ({
  restricted: restriction !== null,
  restrictions,
  extraUsd: usdNumber(extraNanoUsd),
});

const toAnswer = (view: ExposureView): UserExposure => ({
  ...exposureObject(view),
  userId: view.userId,
  extraUsd: usdNumber(view.extraNanoUsd),
});
