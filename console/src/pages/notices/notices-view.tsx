// The addresses that get notices, a button to test each, and recent deliveries.

import { useQuery } from '@tanstack/react-query';
import { BellRing, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { NoticeAddress, NoticeEntry, NoticesApi, NoticesPage } from '../../api/notices.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { DeleteButton, TestButton } from '../../ui/row-buttons.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { Allowed, useMay } from '../operator/role.tsx';
import { useOperation } from '../operator/use-operation.ts';
import { EditButton } from '../org/edit-button.tsx';
import { AddressDialog } from './address-dialog.tsx';
import { CHANNELS, kindText, STATES } from './notice-words.ts';

type NoticesViewProps = Readonly<{ api: NoticesApi; description: string; mailHint: string | null }>;

export function NoticesView({ api, description, mailHint }: NoticesViewProps) {
  const query = useQuery(api.query);
  const [edited, setEdited] = useState<NoticeAddress | 'new' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const add = (
    <Allowed least="owner">
      <Button kind="primary" onClick={() => setEdited('new')}>
        <Plus size={16} aria-hidden="true" /> New address
      </Button>
    </Allowed>
  );
  return (
    <Page title="Notices" description={description} actions={add}>
      <QueryView query={query}>{(page) => <Content api={api} page={page} add={add} onEdit={setEdited} />}</QueryView>
      <AddressDialog
        api={api}
        kinds={query.data?.kinds ?? []}
        address={edited}
        mailHint={mailHint}
        onCreated={(shown) => {
          setSecret(shown);
          setEdited(null);
        }}
        onClose={() => setEdited(null)}
      />
      <Dialog title="The webhook’s secret" isOpen={secret !== null} onClose={() => setSecret(null)}>
        <SecretOnce secret={secret ?? ''} label="Secret" />
      </Dialog>
    </Page>
  );
}

type ContentProps = Readonly<{
  api: NoticesApi;
  page: NoticesPage;
  add: ReactNode;
  onEdit: (address: NoticeAddress) => void;
}>;

function Content({ api, page, add, onEdit }: ContentProps) {
  const { addresses, log } = page;
  if (addresses.length === 0) {
    return (
      <Card>
        <EmptyState icon={<BellRing size={22} />} title="No addresses yet" action={add}>
          Get notices by mail, by a signed webhook or in a chat. Each event is reported once.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <AddressTable api={api} addresses={addresses} onEdit={onEdit} />
      {log.length > 0 && <LogTable log={log} addresses={addresses} />}
    </>
  );
}

const ADDRESS_COLUMNS = [
  { label: 'Address' },
  { label: 'Gets a notice when' },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

type AddressTableProps = Readonly<{
  api: NoticesApi;
  addresses: readonly NoticeAddress[];
  onEdit: (address: NoticeAddress) => void;
}>;

function AddressTable({ api, addresses, onEdit }: AddressTableProps) {
  const mayChange = useMay('owner');
  const touches = api.query.queryKey;
  const switching = useOperation({
    run: ({ id, enabled }: Pick<NoticeAddress, 'id' | 'enabled'>) => api.change(id, { enabled }),
    touches,
  });
  const testing = useOperation({ run: api.test, touches, done: 'A test is on its way.' });
  const removal = useOperation({ run: api.remove, touches, done: 'The address is deleted.' });
  return (
    <>
      <ErrorNotice error={switching.error ?? testing.error} />
      <Card isFlush>
        <Table label="Addresses" columns={ADDRESS_COLUMNS}>
          {addresses.map((address) => (
            <tr key={address.id}>
              <Cell>
                <p className="font-medium wrap-anywhere">{address.shown}</p>
                <p className="text-xs text-quiet">{CHANNELS[address.channel]}</p>
              </Cell>
              <Cell className="xl:min-w-104">
                <KindList address={address} />
              </Cell>
              <Cell>
                <Switch
                  label={`${address.shown} gets notices`}
                  isLabelHidden
                  isOn={address.enabled}
                  isDisabled={!mayChange}
                  onChange={(enabled) => switching.mutate({ id: address.id, enabled })}
                />
              </Cell>
              <Cell>
                <Allowed least="owner">
                  <span className="flex justify-end gap-1">
                    <TestButton
                      name={address.shown}
                      isBusy={testing.isPending && testing.variables === address.id}
                      isDisabled={!address.enabled}
                      onClick={() => testing.mutate(address.id)}
                    />
                    <EditButton label={`Change ${address.shown}`} onClick={() => onEdit(address)} />
                    <DeleteButton
                      name={address.shown}
                      verb="Delete the address"
                      run={() => removal.mutateAsync(address.id)}
                    >
                      It gets no more notices, not even those that wait to be tried again. Its log is deleted too.
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

function KindList({ address: { kinds, lowBalanceUsd } }: Readonly<{ address: NoticeAddress }>) {
  const text = (kind: string): string =>
    kind === 'balance.low' && lowBalanceUsd !== null
      ? `The balance falls below ${formatUsd(lowBalanceUsd)}`
      : kindText(kind);
  return (
    <ul className="gap-5 leading-snug lg:columns-2">
      {kinds.map((kind) => (
        <li key={kind} className="break-inside-avoid py-0.5 text-pretty">
          {text(kind)}
        </li>
      ))}
    </ul>
  );
}

const LOG_COLUMNS = [{ label: 'Notice' }, { label: 'To' }, { label: 'Outcome' }, { label: 'When' }];

function LogTable({ log, addresses }: Readonly<{ log: readonly NoticeEntry[]; addresses: readonly NoticeAddress[] }>) {
  const names = new Map(addresses.map(({ id, shown }) => [id, shown]));
  return (
    <Card title="Log" isFlush>
      <Table label="Log" columns={LOG_COLUMNS}>
        {log.map((entry) => (
          <tr key={`${entry.id} ${entry.addressId}`}>
            <Cell className="max-w-96">
              <p>{entry.title}</p>
            </Cell>
            <Cell className="wrap-anywhere">{names.get(entry.addressId) ?? entry.addressId}</Cell>
            <Cell>
              <Outcome entry={entry} />
            </Cell>
            <Cell>
              <Moment at={entry.createdAt} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Outcome({ entry: { state, attempts, failure } }: Readonly<{ entry: NoticeEntry }>) {
  const [word, tone] = STATES[state === 'waiting' && failure !== null ? 'failed' : state];
  const tries = attempts > 1 ? `, ${attempts} tries` : '';
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {failure !== null && <p className="mt-1 text-xs text-quiet">{failure + tries}</p>}
    </>
  );
}
