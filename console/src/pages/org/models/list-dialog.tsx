// Replaces one of the lists. Entries are models of the catalog or all models of a provider, `provider/*`; others may be
// typed as well, because a model may come into the catalog later.

import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { modelsQuery } from '../../../api/models.ts';
import { replaceModelList } from '../../../api/orgs/allowed-models.ts';
import type { Scope } from '../../../api/orgs/scopes.ts';
import { Button } from '../../../ui/button.tsx';
import { controlClass, Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { entriesToChoose } from './entries.ts';

type ListDialogProps = Readonly<{ layer: Scope; name: string; list: readonly string[] | null; onClose: () => void }>;

export function ListDialog({ layer, name, list, onClose }: ListDialogProps) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: (entries: readonly string[]) => replaceModelList(orgId, layer, entries),
    done: 'The list is saved.',
    onDone: onClose,
  });
  const close = (): void => {
    change.reset();
    onClose();
  };
  return (
    <FormDialog
      title={`Models: ${name}`}
      verb="Save the list"
      isOpen={list !== null}
      sending={change}
      read={entriesIn}
      onClose={close}
    >
      {list !== null && <EntryFields first={list} />}
    </FormDialog>
  );
}

/** What is typed and not added yet belongs to the list too: without it the list could be empty, and allow every model. */
const entriesIn = (form: FormData): readonly string[] => {
  const typed = entryOf(textIn(form, TYPED));
  return [...new Set([...form.getAll('entry').map(String), ...(typed === '' ? [] : [typed])])];
};

/** As the gateway calls the list, so that what it says of an entry stands beside the field. */
const TYPED = 'allowedModels';

const entryOf = (typed: string): string => typed.trim().toLowerCase();

function EntryFields({ first }: Readonly<{ first: readonly string[] }>) {
  const [entries, setEntries] = useState(first);
  const [typed, setTyped] = useState('');
  const { data: models = [] } = useQuery(modelsQuery);
  const listId = useId();
  const add = (): void => {
    const entry = entryOf(typed);
    if (entry === '') return;
    setEntries([...new Set([...entries, entry])]);
    setTyped('');
  };
  return (
    <>
      <Field label="Add a model" name={TYPED} hint="One model, or provider/* for all of a provider.">
        {(ids) => (
          <div className="flex gap-2">
            <input
              {...ids}
              list={listId}
              value={typed}
              placeholder="provider/model"
              className={controlClass}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || typed === '') return;
                event.preventDefault();
                add();
              }}
            />
            <Button onClick={add}>Add</Button>
          </div>
        )}
      </Field>
      <datalist id={listId}>
        {entriesToChoose(models.map(({ id }) => id)).map((entry) => (
          <option key={entry} value={entry} />
        ))}
      </datalist>
      {entries.length === 0 ? (
        <p className="text-sm text-quiet">An empty list allows every model.</p>
      ) : (
        <ChosenEntries
          entries={entries}
          onRemove={(entry) => setEntries(entries.filter((candidate) => candidate !== entry))}
        />
      )}
    </>
  );
}

type ChosenProps = Readonly<{ entries: readonly string[]; onRemove: (entry: string) => void }>;

function ChosenEntries({ entries, onRemove }: ChosenProps) {
  return (
    <ul className="grid max-h-64 gap-1 overflow-y-auto">
      {entries.map((entry) => (
        <li key={entry} className="flex items-center justify-between gap-2 rounded-md bg-sunken px-2 py-0.5">
          <input type="hidden" name="entry" value={entry} />
          <code className="font-mono text-xs break-all">{entry}</code>
          <Button kind="ghost" isSmall aria-label={`Remove ${entry} from the list`} onClick={() => onRemove(entry)}>
            <X size={15} aria-hidden="true" />
          </Button>
        </li>
      ))}
    </ul>
  );
}
