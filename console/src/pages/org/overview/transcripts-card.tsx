// What an organization keeps of prompts and answers: nothing, unless it is set here.

import { useState } from 'react';
import type { ChangeOrgBody } from '../../../../../gateway/src/contract/org-management.ts';
import { changeOrganization, type Organization } from '../../../api/orgs/organizations.ts';
import { eraseTranscripts, exportTranscripts } from '../../../api/transcripts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountIn } from '../../../ui/form-values.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { Switch } from '../../../ui/switch.tsx';
import { useOrgChange } from '../use-org-change.ts';

type Settings = NonNullable<NonNullable<ChangeOrgBody['settings']>['transcripts']>;
type Reader = Settings['readers'][number];

const READERS: readonly (readonly [Reader, string])[] = [
  ['org_admin', 'Administrators read all of them'],
  ['billing_viewer', 'Billing viewers read all of them'],
  ['team_admin', 'Team administrators read what their team sent'],
  ['member', 'Members read what they sent themselves'],
];

export function TranscriptsCard({ organization }: Readonly<{ organization: Organization }>) {
  const { id, settings } = organization;
  const [isOn, setOn] = useState(settings.transcripts !== null);
  const [readers, setReaders] = useState<readonly string[]>(settings.transcripts?.readers ?? ['org_admin']);
  const [isErasing, setErasing] = useState(false);
  const change = useOrgChange({
    run: (transcripts: Settings | null) => changeOrganization(id, { settings: { transcripts } }),
    done: 'The settings of prompts and answers are saved.',
  });
  const download = useOrgChange({
    run: async () => saveFile(`transcripts-${id}.jsonl`, await exportTranscripts(id)),
  });
  const erasure = useOrgChange({
    run: () => eraseTranscripts(id),
    done: 'All kept prompts and answers are erased.',
    onDone: () => setErasing(false),
  });
  const read = (form: FormData): Settings | null =>
    isOn
      ? {
          days: amountIn(form, 'days') ?? 30,
          samplePercent: amountIn(form, 'samplePercent') ?? 100,
          readers: READERS.map(([role]) => role).filter((role) => readers.includes(role)),
        }
      : null;
  const toggle = (role: Reader, isReader: boolean): void =>
    setReaders(isReader ? [...readers, role] : readers.filter((other) => other !== role));
  return (
    <Card
      title="Prompts and answers"
      description="Not kept, unless you switch it on. Then the conversations of your keys are stored encrypted, as your filters left them, and every reading is in the audit log."
    >
      <Form sending={change} read={read}>
        <Switch label="Keep prompts and answers" isOn={isOn} onChange={setOn} />
        {isOn && (
          <>
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField
                label="For how many days"
                name="days"
                type="number"
                min={1}
                max={365}
                step={1}
                required
                defaultValue={String(settings.transcripts?.days ?? 30)}
              />
              <TextField
                label="Of how many calls, percent"
                name="samplePercent"
                type="number"
                min={1}
                max={100}
                step={1}
                required
                defaultValue={String(settings.transcripts?.samplePercent ?? 100)}
              />
            </div>
            {READERS.map(([role, label]) => (
              <Switch key={role} label={label} isOn={readers.includes(role)} onChange={(on) => toggle(role, on)} />
            ))}
          </>
        )}
        <FormError beside={download.error ?? erasure.error} />
        <div className="flex flex-wrap gap-2">
          <SubmitButton>Save these settings</SubmitButton>
          <Button isBusy={download.isPending} onClick={() => download.mutate()}>
            Download all
          </Button>
          <Button kind="danger" onClick={() => setErasing(true)}>
            Erase all
          </Button>
        </div>
      </Form>
      <ConfirmDialog
        title="Erase all prompts and answers?"
        isOpen={isErasing}
        onClose={() => setErasing(false)}
        verb="Erase them"
        isBusy={erasure.isPending}
        onConfirm={() => erasure.mutate()}
        error={erasure.error}
      >
        They cannot be brought back. Records of calls and costs stay.
      </ConfirmDialog>
    </Card>
  );
}
