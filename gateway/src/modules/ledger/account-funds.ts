// Accounts as funds: the money of a balance or a credit line, leased with the account's own statements.

import type { Database } from '../../platform/db/database.ts';
import type { AccountFund, FundStore } from './fund.ts';
import { dropSlices, leaseSlice, lowerSlices } from './store/slices.ts';

export const accountFund = (accountId: string): AccountFund => ({
  id: accountId,
  kind: 'prepaid',
  spendableNanoUsd: null,
});

export function accountFunds(database: Database): FundStore<AccountFund> {
  return {
    async lease(fund, request) {
      const row = await leaseSlice(database, { accountId: fund.id, ...request });
      if (row.isRegistered) {
        fund.kind = row.kind ?? fund.kind;
        fund.spendableNanoUsd = row.spendableNanoUsd ?? 0n;
      }
      return {
        isRegistered: row.isRegistered,
        grantedNanoUsd: row.grantedNanoUsd ?? 0n,
        remainingNanoUsd: row.remainingNanoUsd ?? 0n,
        leasedBeforeNanoUsd: row.leasedBeforeNanoUsd ?? 0n,
        holders: row.holders ?? 0,
      };
    },
    lower(processId, returns) {
      const rows = returns.map(({ fund, amountNanoUsd }) => ({ fundId: fund.id, amountNanoUsd }));
      return lowerSlices(database, processId, rows);
    },
    drop(processId, funds) {
      const accountIds = funds.map(({ id }) => id);
      return dropSlices(database, processId, accountIds);
    },
  };
}
