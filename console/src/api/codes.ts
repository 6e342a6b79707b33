// Redeeming a code for credit.

import type { RedeemedAnswer } from '../../../gateway/src/contract/codes.ts';
import { queryText, request } from './request.ts';

export const redeemCode = (code: string, orgId?: string) =>
  request<RedeemedAnswer>('POST', `/api/account/redeem${queryText({ orgId })}`, { body: { code } });
