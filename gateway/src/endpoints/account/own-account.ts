// GET /api/account: the account's owner, its balance, and what that allows.

import type { OwnAccountAnswer } from '../../contract/own-account.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { isFreeTier, type RequestRates, requestsPerMinute } from '../../modules/limits/tier.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import { usdNumber } from '../../platform/money.ts';
import type { AccountHandler, AccountHolder } from '../protect.ts';

type OwnAccountServices = Readonly<{
  identity: Pick<Identity, 'findUser'>;
  organizations: Pick<Organizations, 'find'>;
  ledger: Pick<Ledger, 'account'>;
  requestRates(): RequestRates;
}>;

export const readOwnAccount =
  (services: OwnAccountServices): AccountHandler =>
  async (exchange, holder) => {
    const [owner, account] = await Promise.all([ownerOf(holder, services), services.ledger.account(holder.accountId)]);
    const { balanceNanoUsd, totalCreditedNanoUsd, totalSpentNanoUsd } = account;
    const answer: OwnAccountAnswer = {
      data: {
        account_id: holder.accountId,
        ...owner,
        balance: usdNumber(balanceNanoUsd),
        total_credits: usdNumber(totalCreditedNanoUsd),
        total_usage: usdNumber(totalSpentNanoUsd),
        is_free_tier: isFreeTier(account),
        rate_limit: { requests: requestsPerMinute(services.requestRates(), account), interval: '1m' },
      },
    };
    sendJson(exchange, 200, answer);
  };

type Owner = Pick<OwnAccountAnswer['data'], 'kind' | 'name' | 'email'>;

async function ownerOf({ accountId, userId }: AccountHolder, services: OwnAccountServices): Promise<Owner> {
  if (accountId === userId) {
    const user = await services.identity.findUser(userId);
    if (user !== null) return { kind: 'person', name: user.name, email: user.email };
  }
  const organization = await services.organizations.find(accountId);
  if (organization === null) throw new ApiError('http_404', 'There is no such account.');
  return { kind: 'organization', name: organization.name, email: null };
}
