// The keys with who holds them, what they may spend and have done. Names of holders are there for those who may see the
// members.

import { useQuery } from '@tanstack/react-query';
import { changeOrgKey, deleteOrgKey, type OrgKey } from '../../../api/orgs/keys.ts';
import { membersQuery } from '../../../api/orgs/members.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { KeyLimit, KeyName } from '../../keys/key-table.tsx';
import { useOrg } from '../current-org.ts';
import { EditButton } from '../edit-button.tsx';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';

type OrgKeyTableProps = Readonly<{ keys: readonly OrgKey[]; isManager: boolean; onEdit: (key: OrgKey) => void }>;

export function OrgKeyTable({ keys, isManager, onEdit }: OrgKeyTableProps) {
  const { id: orgId } = useOrg();
  const { data: members = [] } = useQuery({ ...membersQuery(orgId), enabled: isManager });
  const holders = new Map(members.map(({ user }) => [user.id, user.name]));
  const switching = useOrgChange({
    run: ({ id, enabled }: Readonly<{ id: string; enabled: boolean }>) => changeOrgKey(orgId, id, { enabled }),
  });
  const columns = [
    { label: 'Key' },
    ...(isManager ? [{ label: 'Held by' }] : []),
    { label: 'Limit' },
    { label: 'Spent', isNumber: true },
    { label: 'Requests', isNumber: true },
    { label: 'Last used' },
    ...(isManager ? [{ label: 'On' }, { label: 'Actions', isHidden: true }] : []),
  ];
  const nowMs = Date.now();
  return (
    <>
      <ErrorNotice error={switching.error} />
      <Card isFlush>
        <Table label="Organization keys" columns={columns}>
          {keys.map((key) => (
            <tr key={key.id}>
              <Cell>
                <KeyName shownKey={key} nowMs={nowMs} />
              </Cell>
              {isManager && <Cell>{holders.get(key.userId ?? '') ?? <span className="text-quiet">…</span>}</Cell>}
              <KeyFigures shownKey={key} />
              {isManager && (
                <>
                  <Cell>
                    <Switch
                      label={`Key ${key.name} is on`}
                      isLabelHidden
                      isOn={
                        switching.isPending && switching.variables.id === key.id
                          ? switching.variables.enabled
                          : key.enabled
                      }
                      onChange={(enabled) => switching.mutate({ id: key.id, enabled })}
                    />
                  </Cell>
                  <Cell>
                    <KeyActions shownKey={key} onEdit={() => onEdit(key)} />
                  </Cell>
                </>
              )}
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}

function KeyFigures({ shownKey: key }: Readonly<{ shownKey: OrgKey }>) {
  return (
    <>
      <Cell className="xl:min-w-40">
        <KeyLimit shownKey={key} />
      </Cell>
      <Cell isNumber>{formatUsd(key.spentUsd)}</Cell>
      <Cell isNumber>{formatCount(key.requestCount)}</Cell>
      <Cell>
        {key.lastUsed === null ? <span className="text-quiet">never</span> : <Moment at={key.lastUsed} isDateOnly />}
      </Cell>
    </>
  );
}

function KeyActions({ shownKey: key, onEdit }: Readonly<{ shownKey: OrgKey; onEdit: () => void }>) {
  const { id: orgId } = useOrg();
  return (
    <span className="flex justify-end gap-1">
      <EditButton label={`Edit ${key.name}`} onClick={onEdit} />
      <Removal
        label={`Revoke ${key.name}`}
        verb="Revoke the key"
        done="The key is revoked."
        run={() => deleteOrgKey(orgId, key.id)}
      >
        Every program that uses it is refused from the next call on. This cannot be undone. What it has used stays in
        the reports.
      </Removal>
    </span>
  );
}
