// Creates or changes a team. A team's own administrator sets the budget and nothing else.

import { changeTeam, createTeam, type Team, type TeamWish } from '../../../api/orgs/teams.ts';
import { AreaField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { amountIn, amountText, linesIn, textIn, textOrNull } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

type BudgetWish = Pick<TeamWish, 'monthlyBudget'>;

type TeamDialogProps = Readonly<{ team: Team | 'new' | null; onClose: () => void }>;

export function TeamDialog({ team, onClose }: TeamDialogProps) {
  const { id: orgId, role } = useOrg();
  const known = team === 'new' ? null : team;
  const isAdmin = role === 'org_admin';
  const saving = useOrgChange({
    run: (wish: TeamWish | BudgetWish): Promise<unknown> => {
      // Only administrators make teams, and they are shown every field.
      return known === null ? createTeam(orgId, wish as TeamWish) : changeTeam(orgId, known.id, wish);
    },
    done: known === null ? 'The team is created.' : 'The team is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={known === null ? 'New team' : `Edit ${known.name}`}
      verb={known === null ? 'Create the team' : 'Save'}
      isOpen={team !== null}
      sending={saving}
      read={(form) => (isAdmin ? wishOf(form) : { monthlyBudget: amountIn(form, 'monthlyBudget') })}
      onClose={onClose}
    >
      {isAdmin && <IdentityFields team={known} />}
      <TextField
        label="Monthly budget, USD"
        name="monthlyBudget"
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
  costCenterCode: textOrNull(form, 'costCenterCode'),
  permissionScope: linesIn(form, 'permissionScope'),
  monthlyBudget: amountIn(form, 'monthlyBudget'),
});

function IdentityFields({ team }: Readonly<{ team: Team | null }>) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={200} defaultValue={team?.name ?? ''} />
      <TextField label="Description" name="description" maxLength={1000} defaultValue={team?.description ?? ''} />
      <TextField
        label="Cost center"
        name="costCenterCode"
        maxLength={100}
        placeholder="CC-1234"
        defaultValue={team?.costCenterCode ?? ''}
      />
      <AreaField
        label="Permission scope"
        name="permissionScope"
        rows={2}
        hint="Words of your own, one on each line, for programs that read them."
        defaultValue={team?.permissionScope.join('\n') ?? ''}
      />
    </>
  );
}
