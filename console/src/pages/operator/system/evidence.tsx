// What moderation has refused, newest first. The texts are sealed: opening one writes a line to the gateway's log.

import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { evidenceListQuery, readEvidence } from '../../../api/operator/system.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Loading } from '../../../ui/loading.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { Page } from '../../../ui/page.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { Allowed } from '../role.tsx';
import { SearchForm } from '../search-form.tsx';
import { UserLink } from '../user-link.tsx';

const COLUMNS = [
  { label: 'Seen last' },
  { label: 'Why' },
  { label: 'User' },
  { label: 'Model' },
  { label: 'Times', isNumber: true },
  { label: 'Actions', isHidden: true },
];

export function EvidencePage() {
  const [user, setUser] = useState('');
  return (
    <Page title="Evidence" description="What moderation has refused. Opening a text is written to the gateway’s log.">
      <SearchForm label="User id or email" onSearch={setUser} />
      <EvidenceList user={user} />
    </Page>
  );
}

function EvidenceList({ user }: Readonly<{ user: string }>) {
  const list = useInfiniteQuery(evidenceListQuery(user));
  const opening = useMutation({ mutationFn: readEvidence });
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  }
  const items = list.data.pages.flatMap((page) => page.data);
  return (
    <Card isFlush>
      <ErrorNotice error={opening.error} />
      <Table label="Evidence" columns={COLUMNS}>
        {items.map((item) => (
          <tr key={item.id}>
            <Cell>
              <Moment at={item.lastSeenAt} />
            </Cell>
            <Cell>
              <span className="flex flex-wrap gap-1">
                {item.categories.map((category) => (
                  <Badge key={category} tone="bad">
                    {category.replaceAll('_', ' ')}
                  </Badge>
                ))}
              </span>
            </Cell>
            <Cell>
              <UserLink userId={item.userId}>{item.email ?? <ShortId id={item.userId} />}</UserLink>
            </Cell>
            <Cell>{item.model}</Cell>
            <Cell isNumber>{formatCount(item.occurrences)}</Cell>
            <Cell>
              <Allowed least="support">
                <Button isSmall onClick={() => opening.mutate(item.id)}>
                  Open the text
                </Button>
              </Allowed>
            </Cell>
          </tr>
        ))}
      </Table>
      {items.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">Nothing was refused.</p>}
      <MoreButton list={list} />
      <Dialog title="The text" isOpen={opening.isSuccess} onClose={() => opening.reset()}>
        <p className="max-h-96 overflow-y-auto text-sm break-words whitespace-pre-wrap">
          {opening.data?.content ?? 'It was sealed with another secret and cannot be opened.'}
        </p>
      </Dialog>
    </Card>
  );
}
