// Everybody who has an account here, and making one for somebody.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createUser, usersKey, usersQuery } from '../../../api/operator/users.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { formatDate } from '../../../ui/format.ts';
import { Loading } from '../../../ui/loading.tsx';
import { Page } from '../../../ui/page.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { textIn, textOrNull } from '../../org/form-values.ts';
import { MoreButton } from '../more-button.tsx';
import { SearchForm } from '../search-form.tsx';
import { useOperation } from '../use-operation.ts';

export function Users() {
  const [text, setText] = useState('');
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Users"
      description="Everybody who has an account on this gateway."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden="true" /> New user
        </Button>
      }
    >
      <SearchForm label="Name, email or id" onSearch={setText} />
      <UserList text={text} />
      <NewUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

const COLUMNS = [{ label: 'User' }, { label: 'Email' }, { label: 'Since' }, { label: 'State' }];

function UserList({ text }: Readonly<{ text: string }>) {
  const list = useInfiniteQuery(usersQuery(text));
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading />;
  const users = list.data.pages.flatMap((page) => page.users);
  return (
    <Card isFlush>
      <Table label="Users" columns={COLUMNS}>
        {users.map(({ id, name, email, createdAt, suspended }) => (
          <tr key={id}>
            <Cell>
              <Link to="/operator/users/$userId" params={{ userId: id }} className={textLinkClass}>
                {name}
              </Link>
            </Cell>
            <Cell>{email}</Cell>
            <Cell className="whitespace-nowrap">{formatDate(createdAt)}</Cell>
            <Cell>{suspended ? <Badge tone="bad">suspended</Badge> : <Badge tone="good">active</Badge>}</Cell>
          </tr>
        ))}
      </Table>
      {users.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">Nobody is called that.</p>}
      <MoreButton list={list} />
    </Card>
  );
}

function NewUserDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const navigate = useNavigate();
  const creation = useOperation({
    run: createUser,
    touches: usersKey,
    done: 'The user is made.',
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: '/operator/users/$userId', params: { userId: id } });
    },
  });
  const submit = (form: FormData): void => {
    const password = textOrNull(form, 'password');
    const body = { email: textIn(form, 'email'), name: textIn(form, 'name') };
    creation.mutate(password === null ? body : { ...body, password });
  };
  return (
    <FormDialog
      title="New user"
      verb="Make the user"
      isOpen={isOpen}
      isBusy={creation.isPending}
      error={creation.error}
      onSubmit={submit}
      onClose={() => {
        creation.reset();
        onClose();
      }}
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
