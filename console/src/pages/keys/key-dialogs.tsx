// The two dialogs that keys of people and of organizations have in common: a new key, whose secret is shown once, and a
// change to what a key may do. What is sent where is the page's own.

import { type ReactNode, useState } from 'react';
import type { Key, KeyChanges } from '../../api/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, FormError, type Sending, SubmitButton } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { CHANGED_NAMES, LimitFields } from './key-fields.tsx';
import { changesBetween, valuesOf } from './key-values.ts';

type NewKeyDialogProps = Readonly<{
  title: string;
  isOpen: boolean;
  /** The one that makes the key. */
  creation: Readonly<{ data: Readonly<{ key: string }> | undefined; reset: () => void }>;
  onClose: () => void;
  /** The form, given what closes the dialog. */
  children: (close: () => void) => ReactNode;
}>;

/** Closing it forgets the secret, so whoever has not copied it is asked first. */
export function NewKeyDialog({ title, isOpen, creation, onClose, children }: NewKeyDialogProps) {
  const [hasCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const secret = creation.data?.key;
  const close = (): void => {
    creation.reset();
    setCopied(false);
    setAsking(false);
    onClose();
  };
  const closeOrAsk = (): void => (secret !== undefined && !hasCopied ? setAsking(true) : close());
  return (
    <Dialog title={secret === undefined ? 'New key' : title} isOpen={isOpen} onClose={closeOrAsk}>
      {secret === undefined ? (
        children(close)
      ) : (
        <>
          <SecretOnce secret={secret} label="The secret of the new key" onCopied={() => setCopied(true)} />
          {isAsking && (
            <Notice tone="warn">
              You have not copied the secret yet. It cannot be shown again.{' '}
              <button type="button" className={textLinkClass} onClick={close}>
                Close without copying
              </button>
            </Notice>
          )}
          <footer className="flex justify-end">
            <Button kind="primary" onClick={close}>
              I have copied it
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

type KeyFormProps<Wish> = Readonly<{
  verb: string;
  sending: Sending<Wish>;
  read: () => Wish;
  onCancel: () => void;
  children: ReactNode;
}>;

export function KeyForm<Wish>({ verb, sending, read, onCancel, children }: KeyFormProps<Wish>) {
  return (
    <Form
      sending={sending}
      read={read}
      footer={
        <footer className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <SubmitButton kind="primary">{verb}</SubmitButton>
        </footer>
      }
    >
      {children}
      <FormError />
    </Form>
  );
}

/** A change to the key of this id. */
export type KeyEdit = Readonly<{ id: string; changes: KeyChanges }>;

type EditKeyDialogProps = Readonly<{ editedKey: Key | null; sending: Sending<KeyEdit>; onClose: () => void }>;

export function EditKeyDialog({ editedKey, sending, onClose }: EditKeyDialogProps) {
  return (
    <Dialog title={`Edit ${editedKey?.name ?? 'the key'}`} isOpen={editedKey !== null} onClose={onClose}>
      {editedKey !== null && <EditKeyForm editedKey={editedKey} sending={sending} onClose={onClose} />}
    </Dialog>
  );
}

function EditKeyForm({ editedKey, sending, onClose }: EditKeyDialogProps & Readonly<{ editedKey: Key }>) {
  const [before] = useState(() => valuesOf(editedKey));
  const [values, setValues] = useState(before);
  return (
    <KeyForm
      verb="Save"
      sending={sending}
      read={() => ({ id: editedKey.id, changes: changesBetween(before, values) })}
      onCancel={onClose}
    >
      <LimitFields values={values} names={CHANGED_NAMES} onChange={(part) => setValues({ ...values, ...part })} />
    </KeyForm>
  );
}
