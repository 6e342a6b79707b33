// Makes a key for a member and shows its secret, once. A key of the team goes when the team goes, or when its holder
// leaves the team.

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createOrgKey } from '../../../api/orgs/keys.ts';
import { type Member, membersQuery } from '../../../api/orgs/members.ts';
import { sessionQuery } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { SecretOnce } from '../../../ui/secret-once.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { IdentityFields, LimitFields } from '../../keys/key-fields.tsx';
import { type KeyValues, NEW_KEY, wishOf } from '../../keys/key-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

type Wish = Readonly<{ values: KeyValues; userId: string; teamId: string | null }>;

export function NewOrgKeyDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { id: orgId } = useOrg();
  const creation = useOrgChange({
    run: ({ values, userId, teamId }: Wish) => createOrgKey(orgId, { ...wishOf(values), userId, teamId }),
  });
  const close = (): void => {
    creation.reset();
    onClose();
  };
  return (
    <Dialog title={creation.isSuccess ? 'The new key' : 'New key'} isOpen={isOpen} onClose={close}>
      {creation.isSuccess ? (
        <>
          <SecretOnce secret={creation.data.key} label="The secret of the new key" />
          <footer className="flex justify-end">
            <Button kind="primary" onClick={close}>
              I have copied it
            </Button>
          </footer>
        </>
      ) : (
        <NewOrgKeyForm
          onSubmit={(wish) => creation.mutate(wish)}
          onCancel={close}
          isBusy={creation.isPending}
          error={creation.error}
        />
      )}
    </Dialog>
  );
}

type FormProps = Readonly<{
  onSubmit: (wish: Wish) => void;
  onCancel: () => void;
  isBusy: boolean;
  error: unknown;
}>;

function NewOrgKeyForm({ onSubmit, onCancel, isBusy, error }: FormProps) {
  const { id: orgId, role } = useOrg();
  const { data: members = [] } = useQuery(membersQuery(orgId));
  const { data: session } = useQuery(sessionQuery);
  const [values, setValues] = useState(NEW_KEY);
  const [userId, setUserId] = useState(session?.user.id ?? '');
  const [isOfTeam, setOfTeam] = useState(false);
  const holder = members.find(({ user }) => user.id === userId);
  const change = (part: Partial<KeyValues>): void => setValues({ ...values, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ values, userId, teamId: isOfTeam ? (holder?.teamId ?? null) : null });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <SelectField label="For" value={userId} onChange={(event) => setUserId(event.target.value)}>
        {members.map(({ id, user, team }) => (
          <option key={id} value={user.id}>
            {user.name} ({team?.name ?? user.email})
          </option>
        ))}
      </SelectField>
      {role === 'org_admin' && <TeamSwitch holder={holder} isOn={isOfTeam} onChange={setOfTeam} />}
      <IdentityFields values={values} onChange={change} />
      <LimitFields values={values} onChange={change} />
      <ErrorNotice error={error} />
      <footer className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Create key
        </Button>
      </footer>
    </form>
  );
}

type TeamSwitchProps = Readonly<{ holder: Member | undefined; isOn: boolean; onChange: (isOn: boolean) => void }>;

function TeamSwitch({ holder, isOn, onChange }: TeamSwitchProps) {
  if (holder?.team === null || holder === undefined) return null;
  return (
    <Switch label={`A key of the team ${holder.team.name}: it goes with the team`} isOn={isOn} onChange={onChange} />
  );
}
