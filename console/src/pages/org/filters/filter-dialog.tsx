// Creates or changes a rule. The gateway checks a pattern before it takes it, and says what is wrong with it.

import { useState } from 'react';
import { changeFilter, createFilter, type Filter, type FilterWish } from '../../../api/orgs/content-filters.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { ACTIONS, SIDES, TEMPLATES, TYPES } from './filter-words.ts';

type FilterDialogProps = Readonly<{ rule: Filter | 'new' | null; onClose: () => void }>;

export function FilterDialog({ rule, onClose }: FilterDialogProps) {
  const { id: orgId } = useOrg();
  const known = rule === 'new' ? null : rule;
  const saving = useOrgChange({
    run: (wish: FilterWish): Promise<unknown> =>
      known === null ? createFilter(orgId, wish) : changeFilter(orgId, known.id, wish),
    done: known === null ? 'The rule is created.' : 'The rule is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={known === null ? 'New rule' : `Edit ${known.name}`}
      verb={known === null ? 'Create the rule' : 'Save'}
      isOpen={rule !== null}
      sending={saving}
      read={wishOf}
      onClose={onClose}
    >
      <RuleFields rule={known} />
    </FormDialog>
  );
}

const wishOf = (form: FormData): FilterWish => ({
  name: textIn(form, 'name'),
  type: textIn(form, 'type') as Filter['type'],
  // Blanks at the end of a pattern may be meant.
  pattern: String(form.get('pattern') ?? ''),
  action: textIn(form, 'action') as Filter['action'],
  appliesTo: textIn(form, 'appliesTo') as Filter['appliesTo'],
});

function RuleFields({ rule }: Readonly<{ rule: Filter | null }>) {
  const [type, setType] = useState<Filter['type']>(rule?.type ?? 'template');
  return (
    <>
      <TextField label="Name" name="name" required maxLength={200} defaultValue={rule?.name ?? ''} />
      <SelectField
        label="Looks for"
        name="type"
        value={type}
        onChange={(event) => setType(event.target.value as Filter['type'])}
      >
        {Object.entries(TYPES).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <PatternField key={type} type={type} first={rule?.type === type ? rule.pattern : ''} />
      <SelectField label="In" name="appliesTo" defaultValue={rule?.appliesTo ?? 'input'}>
        {Object.entries(SIDES).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField label="Then" name="action" defaultValue={rule?.action ?? 'block'}>
        {Object.entries(ACTIONS).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
    </>
  );
}

function PatternField({ type, first }: Readonly<{ type: Filter['type']; first: string }>) {
  if (type === 'template') {
    return (
      <SelectField label="Template" name="pattern" defaultValue={first === '' ? undefined : first}>
        {Object.entries(TEMPLATES).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
    );
  }
  return type === 'keyword' ? (
    <TextField
      label="Word or phrase"
      name="pattern"
      required
      defaultValue={first}
      hint="Upper and lower case, and letters that look alike, count as the same."
    />
  ) : (
    <TextField
      label="Regular expression"
      name="pattern"
      required
      className="font-mono"
      placeholder="PRJ-\d{4}"
      hint="RE2 syntax: no look-around and no back-references."
      defaultValue={first}
    />
  );
}
