// Changes what a key may do. The change counts from the next call on.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changeKey, type Key, keysQuery } from '../../api/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { LimitFields } from './key-fields.tsx';
import { changesOf, type KeyValues, valuesOf } from './key-values.ts';

type EditKeyDialogProps = Readonly<{ editedKey: Key | null; onClose: () => void }>;

export function EditKeyDialog({ editedKey, onClose }: EditKeyDialogProps) {
  return (
    <Dialog
      title={editedKey === null ? 'Edit key' : `Edit ${editedKey.name}`}
      isOpen={editedKey !== null}
      onClose={onClose}
    >
      {editedKey !== null && <EditKeyForm editedKey={editedKey} onClose={onClose} />}
    </Dialog>
  );
}

function EditKeyForm({ editedKey, onClose }: Readonly<{ editedKey: Key; onClose: () => void }>) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const [values, setValues] = useState(() => valuesOf(editedKey));
  const change = useMutation({
    mutationFn: (wanted: KeyValues) => changeKey(editedKey.id, changesOf(wanted)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      toast('The key is changed.');
      onClose();
    },
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
