// Makes a key for a member and shows its secret, once. A team's key is deleted with the team, or when its holder leaves
// the team.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateOrgKeyBody } from '../../../../../gateway/src/contract/keys.ts';
import { createOrgKey } from '../../../api/orgs/keys.ts';
import { type Member, membersQuery } from '../../../api/orgs/members.ts';
import { sessionQuery } from '../../../api/session.ts';
import { SelectField } from '../../../ui/field.tsx';
import type { Sending } from '../../../ui/form.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { KeyForm, NewKeyDialog } from '../../keys/key-dialogs.tsx';
import { IdentityFields, LimitFields, NEW_NAMES } from '../../keys/key-fields.tsx';
import { type KeyValues, NEW_KEY, wishOf } from '../../keys/key-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

export function NewOrgKeyDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { id: orgId } = useOrg();
  const creation = useOrgChange({ run: (body: CreateOrgKeyBody) => createOrgKey(orgId, body) });
  return (
    <NewKeyDialog title="The new key" isOpen={isOpen} creation={creation} onClose={onClose}>
      {(close) => <NewOrgKeyForm sending={creation} onCancel={close} />}
    </NewKeyDialog>
  );
}

type FormProps = Readonly<{ sending: Sending<CreateOrgKeyBody>; onCancel: () => void }>;

function NewOrgKeyForm({ sending, onCancel }: FormProps) {
  const { id: orgId, role } = useOrg();
  const { data: members = [] } = useQuery(membersQuery(orgId));
  const { data: session } = useQuery(sessionQuery);
  const [values, setValues] = useState(NEW_KEY);
  const [userId, setUserId] = useState(session?.user.id ?? '');
  const [isOfTeam, setOfTeam] = useState(false);
  const holder = members.find(({ user }) => user.id === userId);
  const change = (part: Partial<KeyValues>): void => setValues({ ...values, ...part });
  const read = (): CreateOrgKeyBody => ({
    ...wishOf(values),
    userId,
    teamId: isOfTeam ? (holder?.teamId ?? null) : null,
  });
  return (
    <KeyForm verb="Create key" sending={sending} read={read} onCancel={onCancel}>
      <SelectField label="For" name="userId" value={userId} onChange={(event) => setUserId(event.target.value)}>
        {members.map(({ id, user, team }) => (
          <option key={id} value={user.id}>
            {user.name} ({team?.name ?? user.email})
          </option>
        ))}
      </SelectField>
      {role === 'org_admin' && <TeamSwitch holder={holder} isOn={isOfTeam} onChange={setOfTeam} />}
      <IdentityFields values={values} onChange={change} />
      <LimitFields values={values} names={NEW_NAMES} onChange={change} />
    </KeyForm>
  );
}

type TeamSwitchProps = Readonly<{ holder: Member | undefined; isOn: boolean; onChange: (isOn: boolean) => void }>;

function TeamSwitch({ holder, isOn, onChange }: TeamSwitchProps) {
  if (holder?.team === null || holder === undefined) return null;
  return (
    <Switch
      label={`A key of the team ${holder.team.name}: it stops working when the team is deleted`}
      isOn={isOn}
      onChange={onChange}
    />
  );
}
