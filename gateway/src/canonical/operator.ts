// Who operates the gateway: whoever has the operator token, or a person with a role. Each role may do what those before
// it may.

export type OperatorRole = 'read_only' | 'support' | 'owner';

export const OPERATOR_ROLES: readonly OperatorRole[] = ['read_only', 'support', 'owner'];

export const includesRole = (role: OperatorRole, least: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);

export type ActingOperator = Readonly<{
  /** Null, like the address: the operator token. */
  userId: string | null;
  email: string | null;
  role: OperatorRole;
}>;
