// Every organization, and founding one for somebody.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createOrg, orgsKey, orgsQuery } from '../../../api/operator/orgs.ts';
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
import { textIn } from '../../org/form-values.ts';
import { MoreButton } from '../more-button.tsx';
import { SearchForm } from '../search-form.tsx';
import { useOperation } from '../use-operation.ts';

export function OperatorOrgs() {
  const [text, setText] = useState('');
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Organizations"
      description="Who shares a balance, and how they pay for it."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden="true" /> New organization
        </Button>
      }
    >
      <SearchForm label="Name or id" onSearch={setText} />
      <OrgList text={text} />
      <NewOrgDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

const COLUMNS = [{ label: 'Organization' }, { label: 'Id' }, { label: 'Since' }, { label: 'State' }];

function OrgList({ text }: Readonly<{ text: string }>) {
  const list = useInfiniteQuery(orgsQuery(text));
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading />;
  const orgs = list.data.pages.flatMap((page) => page.orgs);
  return (
    <Card isFlush>
      <Table label="Organizations" columns={COLUMNS}>
        {orgs.map(({ id, name, createdAt, suspended }) => (
          <tr key={id}>
            <Cell>
              <Link to="/operator/orgs/$orgId" params={{ orgId: id }} className={textLinkClass}>
                {name}
              </Link>
            </Cell>
            <Cell className="font-mono text-xs">{id}</Cell>
            <Cell className="whitespace-nowrap">{formatDate(createdAt)}</Cell>
            <Cell>{suspended ? <Badge tone="bad">suspended</Badge> : <Badge tone="good">active</Badge>}</Cell>
          </tr>
        ))}
      </Table>
      {orgs.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">There is none.</p>}
      <MoreButton list={list} />
    </Card>
  );
}

function NewOrgDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const navigate = useNavigate();
  const creation = useOperation({
    run: createOrg,
    touches: orgsKey,
    done: 'The organization is founded.',
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: '/operator/orgs/$orgId', params: { orgId: id } });
    },
  });
  return (
    <FormDialog
      title="New organization"
      verb="Found it"
      isOpen={isOpen}
      isBusy={creation.isPending}
      error={creation.error}
      onSubmit={(form) => creation.mutate({ name: textIn(form, 'name'), ownerUserId: textIn(form, 'owner') })}
      onClose={() => {
        creation.reset();
        onClose();
      }}
    >
      <TextField label="Name" name="name" required maxLength={200} />
      <TextField
        label="Owner’s user id"
        name="owner"
        required
        hint="The first administrator. The id stands on the user’s page."
      />
    </FormDialog>
  );
}
