// Makes a key and shows its secret, once. Closing the dialog forgets it.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createKey, keysQuery } from '../../api/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { IdentityFields, LimitFields } from './key-fields.tsx';
import { type KeyValues, NEW_KEY, wishOf } from './key-values.ts';

type CreateKeyDialogProps = Readonly<{ isOpen: boolean; onClose: () => void }>;

export function CreateKeyDialog({ isOpen, onClose }: CreateKeyDialogProps) {
  const queryClient = useQueryClient();
  const creation = useMutation({
    mutationFn: (values: KeyValues) => createKey(wishOf(values)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const [hasCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = (): void => {
    creation.reset();
    setCopied(false);
    setAsking(false);
    onClose();
  };
  const closeOrAsk = (): void => (creation.isSuccess && !hasCopied ? setAsking(true) : close());
  return (
    <Dialog title={creation.isSuccess ? 'Your new key' : 'New key'} isOpen={isOpen} onClose={closeOrAsk}>
      {creation.isSuccess ? (
        <>
          <SecretOnce secret={creation.data.key} label="The secret of the new key" onCopied={() => setCopied(true)} />
          {isAsking && (
            <Notice tone="warn">
              The secret was not copied yet, and nobody can read it again.{' '}
              <button type="button" className={textLinkClass} onClick={close}>
                Close without it
              </button>
            </Notice>
          )}
          <footer className="flex justify-end">
            <Button kind="primary" onClick={close}>
              I have copied it
            </Button>
          </footer>
        </>
      ) : (
        <NewKeyForm
          onSubmit={(values) => creation.mutate(values)}
          onCancel={close}
          isBusy={creation.isPending}
          error={creation.error}
        />
      )}
    </Dialog>
  );
}

type NewKeyFormProps = Readonly<{
  onSubmit: (values: KeyValues) => void;
  onCancel: () => void;
  isBusy: boolean;
  error: unknown;
}>;

function NewKeyForm({ onSubmit, onCancel, isBusy, error }: NewKeyFormProps) {
  const [values, setValues] = useState(NEW_KEY);
  const change = (part: Partial<KeyValues>): void => setValues({ ...values, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(values);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
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
