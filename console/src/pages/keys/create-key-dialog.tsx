// Makes a key for oneself.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createKey, type KeyWish, keysQuery } from '../../api/keys.ts';
import type { Sending } from '../../ui/form.tsx';
import { KeyForm, NewKeyDialog } from './key-dialogs.tsx';
import { IdentityFields, LimitFields, NEW_NAMES } from './key-fields.tsx';
import { type KeyValues, NEW_KEY, wishOf } from './key-values.ts';

type CreateKeyDialogProps = Readonly<{ isOpen: boolean; onClose: () => void }>;

export function CreateKeyDialog({ isOpen, onClose }: CreateKeyDialogProps) {
  const queryClient = useQueryClient();
  const creation = useMutation({
    mutationFn: createKey,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  return (
    <NewKeyDialog title="Your new key" isOpen={isOpen} creation={creation} onClose={onClose}>
      {(close) => <NewKeyForm sending={creation} onCancel={close} />}
    </NewKeyDialog>
  );
}

function NewKeyForm({ sending, onCancel }: Readonly<{ sending: Sending<KeyWish>; onCancel: () => void }>) {
  const [values, setValues] = useState(NEW_KEY);
  const change = (part: Partial<KeyValues>): void => setValues({ ...values, ...part });
  return (
    <KeyForm verb="Create key" sending={sending} read={() => wishOf(values)} onCancel={onCancel}>
      <IdentityFields values={values} onChange={change} />
      <LimitFields values={values} names={NEW_NAMES} onChange={change} />
    </KeyForm>
  );
}
