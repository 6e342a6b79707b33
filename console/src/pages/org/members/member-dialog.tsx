// Changes a member's place. It counts from the next call on.

import { changeMember, type Member } from '../../../api/orgs/members.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useOrg } from '../current-org.ts';
import { amountIn } from '../form-values.ts';
import { useOrgChange } from '../use-org-change.ts';
import { PlaceFields, placeIn } from './place-fields.tsx';

type MemberDialogProps = Readonly<{ member: Member | null; onClose: () => void }>;

export function MemberDialog({ member, onClose }: MemberDialogProps) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: async (form: FormData) => {
      if (member === null) return;
      await changeMember(orgId, member.id, { ...placeIn(form), monthlyBudget: amountIn(form, 'budget') });
    },
    done: 'The member is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`Edit ${member?.user.name ?? 'the member'}`}
      verb="Save"
      isOpen={member !== null}
      isBusy={change.isPending}
      error={change.error}
      onSubmit={(form) => change.mutate(form)}
      onClose={() => {
        change.reset();
        onClose();
      }}
    >
      {member !== null && (
        <PlaceFields
          firstRole={member.role}
          teamId={member.teamId}
          budget={member.monthlyBudget}
          budgetHint="Empty: no limit of their own. Those of the team and the organization hold all the same."
        />
      )}
    </FormDialog>
  );
}
