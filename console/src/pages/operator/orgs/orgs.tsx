// Every organization, and founding one for somebody.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createOrg, orgsKey, orgsQuery } from '../../../api/operator/orgs.ts';
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

export function OperatorOrgs() {
  const { query: text = '', sort } = useSearch({ from: '/operator/orgs' });
  const navigate = useNavigate({ from: '/operator/orgs' });
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Organizations"
      description="Groups of people who share a balance, and how they pay for it."
      actions={
        <Allowed least="support">
          <Button kind="primary" onClick={() => setCreating(true)}>
            <Plus size={16} aria-hidden="true" /> New organization
          </Button>
        </Allowed>
      }
    >
      <SearchForm
        label="Name, id or key"
        text={text}
        onSearch={(query) => void navigate({ search: { sort, query: query === '' ? undefined : query } })}
      />
      <OrgList
        text={text}
        sort={sort}
        onSort={(chosen) => void navigate({ search: (before) => ({ ...before, sort: chosen }), replace: true })}
      />
      <NewOrgDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

const SORTS = ['created', 'name', 'balance'] as const;
const NEWEST_FIRST: Sorting<(typeof SORTS)[number]> = { sort: 'created', isDescending: true };

type OrgListProps = Readonly<{ text: string; sort: string | undefined; onSort: (sort: string) => void }>;

function OrgList({ text, sort, onSort }: OrgListProps) {
  const sorting = sortingOf(sort, SORTS, NEWEST_FIRST);
  const list = useInfiniteQuery(orgsQuery(text, sorting));
  const heading = (name: (typeof SORTS)[number]) => sortHeading(sorting, name, onSort);
  const columns = [
    { label: 'Organization', sort: heading('name') },
    { label: 'Id' },
    { label: 'Balance', isNumber: true, sort: heading('balance') },
    { label: 'Since', sort: heading('created') },
    { label: 'State' },
  ];
  return (
    <PagedTable
      list={list}
      label="Organizations"
      columns={columns}
      rowsOf={({ orgs }) => orgs}
      empty="No organization matches."
    >
      {({ id, name, createdAt, suspended, balanceUsd }) => (
        <tr key={id}>
          <Cell className="max-w-72 break-words">
            <Link to="/operator/orgs/$orgId" params={{ orgId: id }} className={textLinkClass}>
              {name}
            </Link>
          </Cell>
          <Cell className="font-mono text-xs">{id}</Cell>
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

function NewOrgDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const navigate = useNavigate();
  const creation = useOperation({
    run: createOrg,
    touches: orgsKey,
    done: 'The organization is created.',
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: '/operator/orgs/$orgId', params: { orgId: id } });
    },
  });
  return (
    <FormDialog
      title="New organization"
      verb="Create it"
      isOpen={isOpen}
      sending={creation}
      read={(form) => ({ name: textIn(form, 'name'), ownerUserId: textIn(form, 'ownerUserId') })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={200} />
      <TextField
        label="Owner’s user id"
        name="ownerUserId"
        required
        hint="The first administrator. The id is on the user’s page."
      />
    </FormDialog>
  );
}
