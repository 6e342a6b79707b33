// The agreement that an application gets a key.

import type { GrantAnswer, GrantBody } from '../../../gateway/src/contract/applications.ts';
import { request } from './request.ts';

export const grantApplication = (body: GrantBody) =>
  request<GrantAnswer>('POST', '/api/account/applications', { body });
