// The keys with their limits and usage, each with its switch and its actions.

import { Pencil, Trash2 } from 'lucide-react';
import type { Key } from '../../api/keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { isExpired, periodWords } from './key-values.ts';

const COLUMNS = [
  { label: 'Key' },
  { label: 'Limit' },
  { label: 'Spent', isNumber: true },
  { label: 'Requests', isNumber: true },
  { label: 'Last used' },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

export type KeyActions = Readonly<{
  onSwitch: (key: Key, enabled: boolean) => void;
  onEdit: (key: Key) => void;
  onDelete: (key: Key) => void;
}>;

export function KeyTable({ keys, nowMs, ...actions }: KeyActions & Readonly<{ keys: readonly Key[]; nowMs: number }>) {
  return (
    <Table label="Keys" columns={COLUMNS}>
      {keys.map((key) => (
        <tr key={key.id}>
          <Cell>
            <KeyName shownKey={key} nowMs={nowMs} />
          </Cell>
          <Cell className="xl:min-w-40">
            <KeyLimit shownKey={key} />
          </Cell>
          <Cell isNumber>{formatUsd(key.spentUsd)}</Cell>
          <Cell isNumber>{formatCount(key.requestCount)}</Cell>
          <Cell>
            {key.lastUsed === null ? (
              <span className="text-quiet">never</span>
            ) : (
              <Moment at={key.lastUsed} isDateOnly />
            )}
          </Cell>
          <Cell>
            <Switch
              label={`Key ${key.name} is on`}
              isLabelHidden
              isOn={key.enabled}
              onChange={(enabled) => actions.onSwitch(key, enabled)}
            />
          </Cell>
          <Cell>
            <span className="flex justify-end gap-1">
              <Button kind="ghost" isSmall aria-label={`Edit ${key.name}`} onClick={() => actions.onEdit(key)}>
                <Pencil size={16} aria-hidden="true" />
              </Button>
              <Button kind="ghost" isSmall aria-label={`Delete ${key.name}`} onClick={() => actions.onDelete(key)}>
                <Trash2 size={16} aria-hidden="true" className="text-bad" />
              </Button>
            </span>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

export function KeyName({ shownKey: key, nowMs }: Readonly<{ shownKey: Key; nowMs: number }>) {
  return (
    <div className="grid gap-0.5">
      <span className="flex flex-wrap items-center gap-1.5">
        <span className="font-medium">{key.name}</span>
        {key.keyType === 'management' && <Badge tone="accent">management</Badge>}
        {key.allowedCidrs.length > 0 && <Badge>{addressWords(key.allowedCidrs.length)}</Badge>}
        {isExpired(key, nowMs) && <Badge tone="bad">expired</Badge>}
        {key.leakedAt !== null && <Badge tone="bad">seen in public</Badge>}
      </span>
      <code className="font-mono text-xs whitespace-nowrap text-quiet">
        {key.keyPrefix}…{key.keySuffix}
      </code>
      {key.leakedAt !== null && (
        <span className="max-w-80 text-xs break-words text-bad">
          Replace it: it was seen {key.leakPlace === null ? 'in public' : `at ${key.leakPlace}`} on{' '}
          <Moment at={key.leakedAt} isDateOnly />
        </span>
      )}
      {key.expiresAt !== null && !isExpired(key, nowMs) && (
        <span className="text-xs text-quiet">
          until <Moment at={key.expiresAt} />
        </span>
      )}
    </div>
  );
}

const addressWords = (count: number): string => (count === 1 ? '1 address' : `${count} addresses`);

export function KeyLimit({ shownKey: key }: Readonly<{ shownKey: Key }>) {
  if (key.spendLimitUsd === null) return <span className="text-quiet">none</span>;
  const used = key.spendLimitUsedUsd ?? 0;
  return (
    <Meter
      label={`Spent of the limit of ${key.name}`}
      used={used}
      limit={key.spendLimitUsd}
      text={`${formatUsd(used)} of ${formatUsd(key.spendLimitUsd)} ${periodWords(key)}`}
    />
  );
}
