// Changes a member's role, team and budget, from the next call on.

import { changeMember, type Member, type MemberChanges } from '../../../api/orgs/members.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { amountIn } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { PlaceFields, placeIn } from './place-fields.tsx';

type MemberDialogProps = Readonly<{ member: Member | null; onClose: () => void }>;

export function MemberDialog({ member, onClose }: MemberDialogProps) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: async (changes: MemberChanges) => {
      if (member !== null) await changeMember(orgId, member.id, changes);
    },
    done: 'The member is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`Edit ${member?.user.name ?? 'the member'}`}
      verb="Save"
      isOpen={member !== null}
      sending={change}
      read={(form) => ({ ...placeIn(form), monthlyBudget: amountIn(form, 'monthlyBudget') })}
      onClose={onClose}
    >
      {member !== null && (
        <PlaceFields
          firstRole={member.role}
          teamId={member.teamId}
          budget={member.monthlyBudget}
          budgetHint="Empty: no limit for this member. The limits of the team and the organization still hold."
        />
      )}
    </FormDialog>
  );
}
