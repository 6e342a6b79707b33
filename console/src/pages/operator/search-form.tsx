// Looks for something in a list when it is sent, and not with every letter.

import { Search } from 'lucide-react';
import type { FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';

type SearchFormProps = Readonly<{ label: string; text?: string; onSearch: (text: string) => void }>;

export function SearchForm({ label, text, onSearch }: SearchFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onSearch(String(new FormData(event.currentTarget).get('text')).trim());
  };
  return (
    <search>
      <form onSubmit={submit} className="flex items-end gap-2">
        <div className="min-w-0 flex-1 sm:max-w-sm">
          <TextField label={label} name="text" type="search" maxLength={200} defaultValue={text} />
        </div>
        <Button type="submit">
          <Search size={16} aria-hidden="true" /> Search
        </Button>
      </form>
    </search>
  );
}
