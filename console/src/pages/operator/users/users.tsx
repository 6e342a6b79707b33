// Everybody who has an account here, and making one for somebody.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createUser, usersKey, usersQuery } from '../../../api/operator/users.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedTable } from '../../../ui/paged-table.tsx';
import { type Sorting, sortHeading, sortingOf } from '../../../ui/sorting.ts';
import { Cell } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { Allowed } from '../role.tsx';
import { SearchForm } from '../search-form.tsx';
import { SuspensionBadge } from '../suspend-button.tsx';
import { useOperation } from '../use-operation.ts';

export function Users() {
  const { query: text = '', sort } = useSearch({ from: '/operator/users' });
  const navigate = useNavigate({ from: '/operator/users' });
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Users"
      description="Everybody who has an account on this gateway."
      actions={
        <Allowed least="support">
          <Button kind="primary" onClick={() => setCreating(true)}>
            <Plus size={16} aria-hidden="true" /> New user
          </Button>
        </Allowed>
      }
    >
      <SearchForm
        label="Name, email, id or key"
        text={text}
        onSearch={(query) => void navigate({ search: { sort, query: query === '' ? undefined : shownKey(query) } })}
      />
      <UserList
        text={text}
        sort={sort}
        onSort={(chosen) => void navigate({ search: (before) => ({ ...before, sort: chosen }), replace: true })}
      />
      <NewUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

/** A whole key as lists show it, which finds its holder too: the address is kept by browsers and in logs. */
const shownKey = (text: string): string => text.replace(/^(sk-tg-.{4})\S{20,}(\S{4})$/, '$1…$2');

const SORTS = ['created', 'name', 'email', 'balance'] as const;
const NEWEST_FIRST: Sorting<(typeof SORTS)[number]> = { sort: 'created', isDescending: true };

type UserListProps = Readonly<{ text: string; sort: string | undefined; onSort: (sort: string) => void }>;

function UserList({ text, sort, onSort }: UserListProps) {
  const sorting = sortingOf(sort, SORTS, NEWEST_FIRST);
  const list = useInfiniteQuery(usersQuery(text, sorting));
  const heading = (name: (typeof SORTS)[number]) => sortHeading(sorting, name, onSort);
  const columns = [
    { label: 'User', sort: heading('name') },
    { label: 'Email', sort: heading('email') },
    { label: 'Balance', isNumber: true, sort: heading('balance') },
    { label: 'Since', sort: heading('created') },
    { label: 'State' },
  ];
  return (
    <PagedTable list={list} label="Users" columns={columns} rowsOf={({ users }) => users} empty="No user matches.">
      {({ id, name, email, createdAt, suspended, balanceUsd }) => (
        <tr key={id}>
          <Cell className="max-w-72 break-words">
            <Link to="/operator/users/$userId" params={{ userId: id }} className={textLinkClass}>
              {name}
            </Link>
          </Cell>
          <Cell className="max-w-72 min-w-40 wrap-anywhere">{email}</Cell>
          <Cell isNumber>{formatUsd(balanceUsd)}</Cell>
          <Cell>
            <Moment at={createdAt} isDateOnly />
          </Cell>
          <Cell>
            <SuspensionBadge isSuspended={suspended} />
          </Cell>
        </tr>
      )}
    </PagedTable>
  );
}

function NewUserDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const navigate = useNavigate();
  const creation = useOperation({
    run: createUser,
    touches: usersKey,
    done: 'The user is created.',
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: '/operator/users/$userId', params: { userId: id } });
    },
  });
  return (
    <FormDialog
      title="New user"
      verb="Create the user"
      isOpen={isOpen}
      sending={creation}
      read={(form) => {
        // Blanks at the ends of a password may be meant.
        const password = String(form.get('password') ?? '');
        const body = { email: textIn(form, 'email'), name: textIn(form, 'name') };
        return password === '' ? body : { ...body, password };
      }}
      onClose={onClose}
    >
      <TextField label="Email" name="email" type="email" required autoComplete="off" />
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
      <TextField
        label="Password"
        name="password"
        type="password"
        minLength={8}
        autoComplete="new-password"
        hint="Empty: they set one through “Forgot your password?”."
      />
    </FormDialog>
  );
}
