// What the operator's role allows. A role is not offered what it may not do; the gateway decides in any case. Outside
// the operators' pages, and with the operator token, everything is allowed.

import { createContext, type ReactNode, useContext } from 'react';
import type { OperatorRole } from '../../api/session.ts';

/** Each may do what those before it may. */
const ROLES: readonly OperatorRole[] = ['read_only', 'support', 'owner'];

export const RoleContext = createContext<OperatorRole>('owner');

export const useMay = (least: OperatorRole): boolean => ROLES.indexOf(useContext(RoleContext)) >= ROLES.indexOf(least);

/** Shown only to operators with this role or a higher one. */
export function Allowed({ least, children }: Readonly<{ least: OperatorRole; children: ReactNode }>) {
  return useMay(least) ? children : null;
}
