// Whoever may change customers' accounts could lock those out who stand above them, or take an operator's place: the account
// of an operator is for owners.

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
