// Chooses whose figures a page shows: the person's own, or those of an organization whose books they may read. Nothing
// is shown where there is no choice.

import { useQuery } from '@tanstack/react-query';
import { type OrganizationRole, type Session, sessionQuery } from '../api/session.ts';
import { SelectField } from '../ui/field.tsx';

const READERS: readonly OrganizationRole[] = ['org_admin', 'billing_viewer'];
const BUYERS: readonly OrganizationRole[] = ['org_admin'];
/** For pages of what a person has done themselves. */
export const EVERY_ROLE: readonly OrganizationRole[] = ['org_admin', 'billing_viewer', 'team_admin', 'member'];

type AccountSwitchProps = Readonly<{
  orgId: string | undefined;
  /** Those who may read the page; without, those who may read an organization's books. */
  roles?: readonly OrganizationRole[];
  onChange: (orgId: string | undefined) => void;
}>;

export function AccountSwitch({ orgId, roles = READERS, onChange }: AccountSwitchProps) {
  const { data: session } = useQuery(sessionQuery);
  const readable = session?.organizations.filter(({ role }) => roles.includes(role)) ?? [];
  if (readable.length === 0 && orgId === undefined) return null;
  return (
    <SelectField
      label="Account"
      isLabelHidden
      value={orgId ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">Your own account</option>
      {readable.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

/** Whether the person may buy credit for the account: their own always, an organization's as its administrator. */
export const mayBuy = (session: Session | null | undefined, orgId: string | undefined): boolean =>
  orgId === undefined ||
  (session?.organizations.some(({ id, role }) => id === orgId && BUYERS.includes(role)) ?? false);

export const useMayBuy = (orgId: string | undefined): boolean => mayBuy(useQuery(sessionQuery).data, orgId);
