// Changes what a key of the organization may do. The change counts from the next call on.

import { type FormEvent, useState } from 'react';
import { changeOrgKey, type OrgKey } from '../../../api/orgs/keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { LimitFields } from '../../keys/key-fields.tsx';
import { changesOf, type KeyValues, valuesOf } from '../../keys/key-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

type EditProps = Readonly<{ editedKey: OrgKey | null; onClose: () => void }>;

export function EditOrgKeyDialog({ editedKey, onClose }: EditProps) {
  return (
    <Dialog title={`Edit ${editedKey?.name ?? 'the key'}`} isOpen={editedKey !== null} onClose={onClose}>
      {editedKey !== null && <EditForm editedKey={editedKey} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ editedKey, onClose }: Readonly<{ editedKey: OrgKey; onClose: () => void }>) {
  const { id: orgId } = useOrg();
  const [values, setValues] = useState(() => valuesOf(editedKey));
  const change = useOrgChange({
    run: (wanted: KeyValues) => changeOrgKey(orgId, editedKey.id, changesOf(wanted)),
    done: 'The key is changed.',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate(values);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <LimitFields values={values} onChange={(part) => setValues({ ...values, ...part })} />
      <ErrorNotice error={change.error} />
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={change.isPending}>
          Save
        </Button>
      </footer>
    </form>
  );
}
