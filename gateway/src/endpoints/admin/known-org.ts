// The organization that a path names, or 404.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Organization, Organizations } from '../../modules/orgs/orgs.ts';

export async function knownOrg(exchange: Exchange, organizations: Pick<Organizations, 'find'>): Promise<Organization> {
  const organization = await organizations.find(exchange.params.id ?? '');
  if (organization === null) throw new ApiError('http_404', 'There is no such organization.');
  return organization;
}
