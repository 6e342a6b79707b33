// Searches a list when the form is sent, and not with every letter.

import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { TextField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { handedTo } from '../../ui/handed-to.ts';

type SearchFormProps = Readonly<{ label: string; text?: string; onSearch: (text: string) => void }>;

export function SearchForm({ label, text, onSearch }: SearchFormProps) {
  const [typed, setTyped] = useState(text);
  // What the address says counts, also after a step back. A new field instead would lose the focus.
  useEffect(() => setTyped(text), [text]);
  return (
    <search>
      <Form sending={handedTo(onSearch)} read={(form) => textIn(form, 'text')} className="flex items-end gap-2">
        <div className="min-w-0 flex-1 sm:max-w-sm">
          <TextField
            label={label}
            name="text"
            type="search"
            maxLength={200}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <SubmitButton>
          <Search size={16} aria-hidden="true" /> Search
        </SubmitButton>
      </Form>
    </search>
  );
}
