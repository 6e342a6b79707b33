// A form for one entry of the config document: a model, a provider, a route or a markup. What was typed and not
// reviewed is lost only when the dialog is closed.

import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { TextField } from '../../../../ui/field.tsx';
import { FieldMistake } from '../../../../ui/field-problem.ts';
import { Form, SubmitButton } from '../../../../ui/form.tsx';
import { handedTo } from '../../../../ui/handed-to.ts';
import type { Schema, Values } from './schema.ts';
import { SchemaFields } from './schema-fields.tsx';

type EntryDialogProps = Readonly<{
  /** Null for a new one, which is given its name. */
  name: string | null;
  /** Names that a new one cannot have: it would take the place of what is there. */
  taken: readonly string[];
  title: string;
  nameLabel: string;
  schema: Schema;
  values: Values;
  open?: readonly string[];
  onSave: (name: string, values: Values) => void;
  onRemove?: () => void;
  onClose: () => void;
}>;

export function EntryDialog(props: EntryDialogProps) {
  const { name, taken, title, nameLabel, schema, open, onSave, onRemove, onClose } = props;
  const [values, setValues] = useState(props.values);
  const [newName, setNewName] = useState('');
  const read = (): Values => {
    if (name === null && taken.includes(newName.trim())) {
      throw new FieldMistake('newName', 'There is one of this name already. Edit that one, or choose another name.');
    }
    return values;
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form sending={handedTo((edited: Values) => onSave(name ?? newName.trim(), edited))} read={read}>
        {name === null && (
          <TextField
            label={nameLabel}
            name="newName"
            required
            value={newName}
            onChange={({ target }) => setNewName(target.value)}
          />
        )}
        <SchemaFields schema={schema} values={values} open={open ?? []} onChange={setValues} />
        <footer className="flex flex-wrap justify-end gap-2">
          {onRemove !== undefined && (
            <Button kind="danger" className="mr-auto" onClick={onRemove}>
              Remove it
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton kind="primary">Review the change</SubmitButton>
        </footer>
      </Form>
    </Dialog>
  );
}
