// The keys of a provider: the state of each, adding one, replacing one without a gap, removing one. A key is sent to
// the gateway, tried there, and never returned.

import { useState } from 'react';
import {
  type ProviderKeyView,
  type ProviderView,
  providersKey,
  removeProviderKey,
  setProviderKey,
} from '../../../api/operator/providers.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Cell, Table } from '../../../ui/table.tsx';
import { Allowed } from '../role.tsx';
import { useOperation } from '../use-operation.ts';

const COLUMNS = [
  { label: 'Key' },
  { label: 'Weight', isNumber: true },
  { label: 'State' },
  { label: 'Actions', isHidden: true },
];

/** What the dialog is doing besides showing the keys. */
type Step = Readonly<{ kind: 'add' } | { kind: 'replace' | 'remove'; key: ProviderKeyView }>;

export function ProviderKeys({ provider }: Readonly<{ provider: ProviderView }>) {
  const [isOpen, setOpen] = useState(false);
  const [step, setStep] = useState<Step | null>(null);
  const { name, keys } = provider;
  return (
    <>
      <Button isSmall aria-label={`Keys of ${name}`} onClick={() => setOpen(true)}>
        Keys
      </Button>
      <Dialog
        title={`Keys of ${name}`}
        isOpen={isOpen && step === null}
        // It also closes to make room for a step, and opens again after it.
        onClose={() => step === null && setOpen(false)}
      >
        <p className="text-left text-sm text-quiet">
          Calls are spread over the keys by weight. A key that is refused or limited is not used for a while, and the
          call goes on with another key.
        </p>
        <Table label={`Keys of ${name}`} columns={COLUMNS}>
          {keys.map((key) => (
            <tr key={key.name}>
              <Cell>
                <span className="font-medium">{key.name}</span>
                <span className="block font-mono text-xs text-quiet">{key.hint}</span>
              </Cell>
              <Cell isNumber>{key.weight}</Cell>
              <Cell>
                <KeyState state={key} />
              </Cell>
              <Cell className="text-right">
                <Allowed least="owner">
                  <span className="inline-flex gap-2">
                    <Button
                      isSmall
                      aria-label={`Replace the key ${key.name}`}
                      onClick={() => setStep({ kind: 'replace', key })}
                    >
                      Replace
                    </Button>
                    {keys.length > 1 && (
                      <Button
                        isSmall
                        aria-label={`Remove the key ${key.name}`}
                        onClick={() => setStep({ kind: 'remove', key })}
                      >
                        Remove
                      </Button>
                    )}
                  </span>
                </Allowed>
              </Cell>
            </tr>
          ))}
        </Table>
        <Allowed least="owner">
          <footer className="flex justify-end">
            <Button kind="primary" onClick={() => setStep({ kind: 'add' })}>
              Add a key
            </Button>
          </footer>
        </Allowed>
      </Dialog>
      {step !== null && step.kind !== 'remove' && (
        <KeyForm provider={name} known={step.kind === 'add' ? null : step.key} onClose={() => setStep(null)} />
      )}
      {step?.kind === 'remove' && <KeyRemoval provider={name} known={step.key} onClose={() => setStep(null)} />}
    </>
  );
}

function KeyState({ state: { state, backInSeconds, limitedModels } }: Readonly<{ state: ProviderKeyView }>) {
  if (state === 'usable') return <Badge tone="good">usable</Badge>;
  return (
    <>
      <Badge tone={state === 'refused' ? 'bad' : 'warn'}>{state}</Badge>
      <span className="block text-xs text-quiet">
        {limitedModels.length > 0 && `for ${limitedModels.join(', ')}; `}tried again in {backInSeconds ?? 0} s
      </span>
    </>
  );
}

type StepProps = Readonly<{ provider: string; onClose: () => void }>;

function KeyForm({ provider, known, onClose }: StepProps & Readonly<{ known: ProviderKeyView | null }>) {
  const set = useOperation({
    run: setProviderKey,
    touches: providersKey,
    done: known === null ? 'The key is added.' : `The key ${known.name} is replaced.`,
    onDone: onClose,
  });
  const read = (form: FormData) => {
    const weight = textIn(form, 'weight');
    const said = weight === '' || (known !== null && weight === String(known.weight)) ? {} : { weight: Number(weight) };
    const key = known?.name ?? textIn(form, 'name');
    return { provider, key, setting: { apiKey: textIn(form, 'apiKey'), ...said } };
  };
  return (
    <FormDialog
      title={known === null ? `Another key for ${provider}` : `Replace the key ${known.name}`}
      verb="Test and store"
      isOpen
      sending={set}
      read={read}
      onClose={onClose}
    >
      {known === null && <TextField label="Name" name="name" required maxLength={64} placeholder="second" />}
      <TextField
        label="API key"
        name="apiKey"
        type="password"
        autoComplete="off"
        required
        hint="The new key is tested first; the old one is used until the new one has passed."
      />
      <TextField
        label="Weight"
        name="weight"
        inputMode="numeric"
        defaultValue={String(known?.weight ?? 1)}
        hint="Its share of the calls, compared with the other keys; 0 for a spare key."
      />
    </FormDialog>
  );
}

function KeyRemoval({ provider, known, onClose }: StepProps & Readonly<{ known: ProviderKeyView }>) {
  const remove = useOperation({
    run: () => removeProviderKey(provider, known.name),
    touches: providersKey,
    done: `The key ${known.name} is removed.`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Remove the key ${known.name}?`}
      verb="Remove"
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Calls that are under way still use it; the next ones use the other keys of {provider}.
    </ConfirmDialog>
  );
}
