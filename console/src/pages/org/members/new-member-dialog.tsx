// Adds a person: by a mailed invitation, or at once when they have an account here.

import { useState } from 'react';
import { addMember, inviteMember, type MemberWish } from '../../../api/orgs/members.ts';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { amountIn, textIn } from '../../../ui/form-values.ts';
import { Segments } from '../../../ui/segments.tsx';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { PlaceFields, placeIn } from './place-fields.tsx';

type Way = 'invite' | 'add';

const WAYS = [
  ['invite', 'Send an invitation'],
  ['add', 'Add at once'],
] as const satisfies readonly (readonly [Way, string])[];

const HINTS: Readonly<Record<Way, string>> = {
  invite: 'They get a mail with a link, and join when they accept it.',
  add: 'If the operator vouches for this organization, people who have an account become members at once. Otherwise they are invited.',
};

export function NewMemberDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { id: orgId, role, teamId } = useOrg();
  const [way, setWay] = useState<Way>('invite');
  const joining = useOrgChange({
    run: (wish: MemberWish): Promise<unknown> =>
      way === 'invite' ? inviteMember(orgId, wish) : addMember(orgId, wish),
    done: way === 'invite' ? 'The invitation is on its way.' : 'The member is added, or invited.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Add a member"
      verb={way === 'invite' ? 'Send the invitation' : 'Add the member'}
      isOpen={isOpen}
      sending={joining}
      read={(form) => wishOf(form, role === 'team_admin' ? teamId : null)}
      onClose={onClose}
    >
      <Segments
        label="How"
        options={WAYS}
        value={way}
        onChange={(chosen) => {
          joining.reset();
          setWay(chosen);
        }}
      />
      <TextField label="Email" name="email" type="email" required maxLength={320} hint={HINTS[way]} />
      <PlaceFields
        firstRole="member"
        teamId={null}
        budget={null}
        budgetHint="Empty: the organization’s budget for new members."
      />
    </FormDialog>
  );
}

/** An empty budget is left out, so that the organization's default applies. */
function wishOf(form: FormData, ownTeamId: string | null): MemberWish {
  const monthlyBudget = amountIn(form, 'monthlyBudget');
  return {
    email: textIn(form, 'email'),
    ...(ownTeamId === null ? placeIn(form) : { teamId: ownTeamId }),
    ...(monthlyBudget === null ? {} : { monthlyBudget }),
  };
}
