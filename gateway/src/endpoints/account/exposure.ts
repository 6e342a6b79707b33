// GET /v1/account/exposure: what the holder of a key has left unpaid in its account, and until when they are
// restricted. GET /api/account/exposures: the same for a signed-in person, in every account that they use.

import type { OwnExposureList } from '../../contract/exposure.ts';
import { sendJson } from '../../http/respond.ts';
import type { Exposure } from '../../modules/limits/exposure.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import { exposureObject } from '../exposure-object.ts';
import type { AccountHandler, PrincipalHandler } from '../protect.ts';

type OwnExposureServices = Readonly<{
  exposure: Pick<Exposure, 'view'>;
  organizations: Pick<Organizations, 'listOf'>;
}>;

export const readOwnExposure =
  ({ exposure }: OwnExposureServices): AccountHandler =>
  async (exchange, { accountId, userId }) => {
    sendJson(exchange, 200, exposureObject(await exposure.view({ accountId, userId })));
  };

export const listOwnExposures =
  ({ exposure, organizations }: OwnExposureServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    const memberships = await organizations.listOf(userId, null);
    const accountIds = [userId, ...memberships.map(({ id }) => id)];
    const views = await Promise.all(accountIds.map((accountId) => exposure.view({ accountId, userId })));
    const answer: OwnExposureList = { accounts: views.map(exposureObject) };
    sendJson(exchange, 200, answer);
  };
