// An organization's name, and its defaults for new members.

import { useState } from 'react';
import type { ChangeOrgBody } from '../../../../../gateway/src/contract/org-management.ts';
import { purgeOrgCache } from '../../../api/cache.ts';
import { changeOrganization, type Organization } from '../../../api/orgs/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountIn, amountText, textIn } from '../../../ui/form-values.ts';
import { Switch } from '../../../ui/switch.tsx';
import { useOrgChange } from '../use-org-change.ts';

export function SettingsCard({ organization }: Readonly<{ organization: Organization }>) {
  const { id, name, settings } = organization;
  const [mayInvite, setMayInvite] = useState(settings.teamAdminsMayInvite);
  const [needsSecondFactor, setNeedsSecondFactor] = useState(settings.needsSecondFactor);
  const [isShared, setShared] = useState(settings.cacheShared);
  const [isPurging, setPurging] = useState(false);
  const change = useOrgChange({
    run: (body: ChangeOrgBody) => changeOrganization(id, body),
    done: 'The settings are saved.',
  });
  const read = (form: FormData): ChangeOrgBody => ({
    name: textIn(form, 'name'),
    settings: {
      defaultMemberBudget: amountIn(form, 'defaultMemberBudget'),
      teamAdminsMayInvite: mayInvite,
      needsSecondFactor,
      cacheTtlSeconds: amountIn(form, 'cacheTtlSeconds'),
      cacheShared: isShared,
    },
  });
  return (
    <Card title="Settings">
      <Form sending={change} read={read}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Name" name="name" required maxLength={200} defaultValue={name} />
          <TextField
            label="Monthly budget of a new member, USD"
            name="defaultMemberBudget"
            type="number"
            min={0}
            step="any"
            placeholder="No limit"
            defaultValue={amountText(settings.defaultMemberBudget)}
          />
          <TextField
            label="Keep answers for, seconds"
            name="cacheTtlSeconds"
            type="number"
            min={0}
            max={86400}
            step={1}
            placeholder="Only if a key or a call asks for it"
            hint="The same call gets the same answer again, free of charge. 0: never."
            defaultValue={amountText(settings.cacheTtlSeconds)}
          />
        </div>
        <Switch label="Team administrators may invite people to their team" isOn={mayInvite} onChange={setMayInvite} />
        <Switch
          label="These pages open only for members with a second factor"
          isOn={needsSecondFactor}
          onChange={setNeedsSecondFactor}
        />
        <Switch
          label="Members share kept answers; an answer may show what another member asked"
          isOn={isShared}
          onChange={setShared}
        />
        <FormError />
        <div className="flex flex-wrap gap-2">
          <SubmitButton>Save the settings</SubmitButton>
          <Button onClick={() => setPurging(true)}>Empty the cache of answers</Button>
        </div>
      </Form>
      <PurgeDialog orgId={id} isOpen={isPurging} onClose={() => setPurging(false)} />
    </Card>
  );
}

type PurgeDialogProps = Readonly<{ orgId: string; isOpen: boolean; onClose: () => void }>;

function PurgeDialog({ orgId, isOpen, onClose }: PurgeDialogProps) {
  const purge = useOrgChange({ run: () => purgeOrgCache(orgId), done: 'The cache is empty.', onDone: onClose });
  return (
    <ConfirmDialog
      title="Empty the cache of answers?"
      verb="Empty it"
      isOpen={isOpen}
      isBusy={purge.isPending}
      error={purge.error}
      onConfirm={() => purge.mutate()}
      onClose={() => {
        purge.reset();
        onClose();
      }}
    >
      Answers that were kept for the organization are not used again. The next calls of its keys go to the models, and
      are charged.
    </ConfirmDialog>
  );
}
