// An operator who may change customers' accounts could lock out operators with a higher role, or take their place, so
// only owners may change the account of an operator.

import type { ActingOperator } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Operators } from '../../modules/operators/operators.ts';

export type OperatorGuard = Readonly<{ operators: Pick<Operators, 'find'> }>;

export async function refuseOperatorsAccount(
  { operators }: OperatorGuard,
  { role }: ActingOperator,
  userId: string,
): Promise<void> {
  if (role === 'owner' || (await operators.find(userId)) === null) return;
  throw new ApiError('http_403', 'This user is an operator: only an owner may change the account.');
}
