// What the signed-in person has left unpaid, in each account that they use.

import { queryOptions } from '@tanstack/react-query';
import type { OwnExposureList } from '../../../gateway/src/contract/exposure.ts';
import { request } from './request.ts';

export const exposuresQuery = queryOptions({
  queryKey: ['exposures'],
  queryFn: async () => (await request<OwnExposureList>('GET', '/api/account/exposures')).accounts,
});
