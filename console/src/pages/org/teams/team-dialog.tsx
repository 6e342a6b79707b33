// Creates or changes a team. A team's own administrator sets the budget and nothing else.

import { changeTeam, createTeam, type Team, type TeamWish } from '../../../api/orgs/teams.ts';
import { AreaField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useOrg } from '../current-org.ts';
import { amountIn, amountText, linesIn, textIn, textOrNull } from '../form-values.ts';
import { useOrgChange } from '../use-org-change.ts';

type TeamDialogProps = Readonly<{ team: Team | 'new' | null; onClose: () => void }>;

export function TeamDialog({ team, onClose }: TeamDialogProps) {
  const { id: orgId, role } = useOrg();
  const known = team === 'new' ? null : team;
  const isAdmin = role === 'org_admin';
  const saving = useOrgChange({
    run: (form: FormData): Promise<unknown> => {
      if (known === null) return createTeam(orgId, wishOf(form));
      return changeTeam(orgId, known.id, isAdmin ? wishOf(form) : { monthlyBudget: amountIn(form, 'budget') });
    },
    done: known === null ? 'The team is created.' : 'The team is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={known === null ? 'New team' : `Edit ${known.name}`}
      verb={known === null ? 'Create the team' : 'Save'}
      isOpen={team !== null}
      isBusy={saving.isPending}
      error={saving.error}
      onSubmit={(form) => saving.mutate(form)}
      onClose={() => {
        saving.reset();
        onClose();
      }}
    >
      {isAdmin && <IdentityFields team={known} />}
      <TextField
        label="Monthly budget, USD"
        name="budget"
        type="number"
        min={0}
        step="any"
        placeholder="No limit"
        hint="Calls beyond it are refused until the next month."
        defaultValue={amountText(known?.monthlyBudget ?? null)}
      />
    </FormDialog>
  );
}

const wishOf = (form: FormData): TeamWish => ({
  name: textIn(form, 'name'),
  description: textOrNull(form, 'description'),
  costCenterCode: textOrNull(form, 'costCenter'),
  permissionScope: linesIn(form, 'permissions'),
  monthlyBudget: amountIn(form, 'budget'),
});

function IdentityFields({ team }: Readonly<{ team: Team | null }>) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={200} defaultValue={team?.name ?? ''} />
      <TextField label="Description" name="description" maxLength={1000} defaultValue={team?.description ?? ''} />
      <TextField
        label="Cost center"
        name="costCenter"
        maxLength={100}
        placeholder="CC-1234"
        defaultValue={team?.costCenterCode ?? ''}
      />
      <AreaField
        label="Permission scope"
        name="permissions"
        rows={2}
        hint="Words of your own, one on each line, for programs that read them."
        defaultValue={team?.permissionScope.join('\n') ?? ''}
      />
    </>
  );
}
