// The feeds of an owner, with what each has sent, or why it cannot send.

import { useQuery } from '@tanstack/react-query';
import { Plus, Rss } from 'lucide-react';
import { useState } from 'react';
import type { Feed, FeedsApi, FeedTest } from '../../api/feeds.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { DeleteButton, TestButton } from '../../ui/row-buttons.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { Allowed, useMay } from '../operator/role.tsx';
import { useOperation } from '../operator/use-operation.ts';
import { FeedDialog } from './feed-dialog.tsx';
import { FORMS } from './feed-words.ts';

type FeedsViewProps = Readonly<{ api: FeedsApi; description: string; forms: readonly Feed['form'][] }>;

export function FeedsView({ api, description, forms }: FeedsViewProps) {
  const query = useQuery(api.query);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const add = (
    <Allowed least="owner">
      <Button kind="primary" onClick={() => setAdding(true)}>
        <Plus size={16} aria-hidden="true" /> New feed
      </Button>
    </Allowed>
  );
  return (
    <Page title="Feeds" description={description} actions={add}>
      <QueryView query={query}>
        {({ feeds }) =>
          feeds.length > 0 ? (
            <FeedTable api={api} feeds={feeds} />
          ) : (
            <Card>
              <EmptyState icon={<Rss size={22} />} title="Nothing is sent yet" action={add}>
                Send the records of calls to a collector, to a server of your own or to a bucket. Each record arrives at
                least once; prompts and answers are never part of it.
              </EmptyState>
            </Card>
          )
        }
      </QueryView>
      <FeedDialog
        api={api}
        forms={forms}
        isOpen={isAdding}
        onCreated={(shown) => {
          setSecret(shown);
          setAdding(false);
        }}
        onClose={() => setAdding(false)}
      />
      <Dialog title="The feed’s secret" isOpen={secret !== null} onClose={() => setSecret(null)}>
        <SecretOnce secret={secret ?? ''} label="Secret" />
      </Dialog>
    </Page>
  );
}

const COLUMNS = [
  { label: 'Feed' },
  { label: 'State' },
  { label: 'Records' },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

function FeedTable({ api, feeds }: Readonly<{ api: FeedsApi; feeds: readonly Feed[] }>) {
  const mayChange = useMay('owner');
  const touches = api.query.queryKey;
  const switching = useOperation({
    run: ({ id, enabled }: Pick<Feed, 'id' | 'enabled'>) => api.change(id, { enabled }),
    touches,
  });
  const removal = useOperation({ run: api.remove, touches, done: 'The feed is deleted.' });
  const testing = useOperation({ run: api.test, touches });
  const testOf = ({ id }: Feed): FeedTest | null =>
    testing.variables === id && testing.data !== undefined ? testing.data : null;
  return (
    <>
      <ErrorNotice error={switching.error ?? testing.error} />
      <Card isFlush>
        <Table label="Feeds" columns={COLUMNS}>
          {feeds.map((feed) => (
            <tr key={feed.id}>
              <Cell>
                <p className="font-medium">{feed.name}</p>
                <p className="text-xs break-all text-quiet">
                  {FORMS[feed.form]}: {feed.host}
                </p>
              </Cell>
              <Cell>
                <State feed={feed} test={testOf(feed)} />
              </Cell>
              <Cell className="whitespace-nowrap">
                <p>{feed.delivered} sent</p>
                <p className="text-xs text-quiet">
                  {feed.waiting} waiting, {feed.lost} lost
                </p>
              </Cell>
              <Cell>
                <Switch
                  label={`${feed.name} is sent`}
                  isLabelHidden
                  isOn={feed.enabled}
                  isDisabled={!mayChange}
                  onChange={(enabled) => switching.mutate({ id: feed.id, enabled })}
                />
              </Cell>
              <Cell>
                <Allowed least="owner">
                  <span className="flex justify-end gap-1">
                    <TestButton
                      name={feed.name}
                      isBusy={testing.isPending && testing.variables === feed.id}
                      onClick={() => testing.mutate(feed.id)}
                    />
                    <DeleteButton name={feed.name} verb="Delete the feed" run={() => removal.mutateAsync(feed.id)}>
                      Records that wait for it are not sent any more. What was sent stays where it is. This cannot be
                      undone.
                    </DeleteButton>
                  </span>
                </Allowed>
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}

function State({ feed: { failure, deliveredAt }, test }: Readonly<{ feed: Feed; test: FeedTest | null }>) {
  return (
    <>
      {test !== null && (
        <p role="status" className="mb-1 text-xs">
          {test.taken
            ? 'The receiver has accepted the test.'
            : `The receiver did not accept the test: ${test.failure}.`}
        </p>
      )}
      {failure !== null && <Badge tone="bad">{failure}</Badge>}
      {failure === null && (
        <Badge tone={deliveredAt === null ? 'neutral' : 'good'}>{deliveredAt === null ? 'new' : 'taken'}</Badge>
      )}
      {deliveredAt !== null && (
        <p className="mt-1 text-xs text-quiet">
          last accepted <Moment at={deliveredAt} />
        </p>
      )}
    </>
  );
}
