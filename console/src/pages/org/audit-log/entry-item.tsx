// One entry: who did what to what, when, and the difference it made.

import type { AuditEntry } from '../../../api/orgs/audit-log.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { actionText } from './actions.ts';
import { type Difference, differences } from './differences.ts';

type EntryItemProps = Readonly<{ entry: AuditEntry; names: ReadonlyMap<string, string> }>;

export function EntryItem({ entry, names }: EntryItemProps) {
  const { action, actor, before, after, createdAt } = entry;
  const target = targetName(entry, names);
  const changed = differences(before, after);
  return (
    <li className="grid gap-2 px-5 py-3.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 text-sm break-words">
          <span className="font-medium">{actionText(action)}</span>
          {target !== null && <>: {target}</>}
        </p>
        <time dateTime={createdAt} className="text-xs whitespace-nowrap text-quiet">
          <Moment at={createdAt} />
        </time>
      </div>
      {changed.length > 0 && <DifferenceList list={changed} names={names} />}
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-quiet">
        <span title={actor.email ?? undefined}>{actorName(actor)}</span>
        {actor.kind === 'key' && <Badge>by key</Badge>}
        <code className="font-mono break-all">{action}</code>
      </p>
    </li>
  );
}

function actorName({ kind, name, email }: AuditEntry['actor']): string {
  if (kind === 'operator') return 'The operator of the gateway';
  if (kind === 'system') return 'The gateway itself';
  return name ?? email ?? 'Somebody whose account is gone';
}

/** By the name of today, or the one in the entry. */
function targetName({ targetId, before, after }: AuditEntry, names: ReadonlyMap<string, string>): string | null {
  const written = after?.name ?? before?.name ?? after?.email ?? before?.email;
  if (typeof written === 'string') return written;
  return names.get(targetId) ?? targetId;
}

function DifferenceList({
  list,
  names,
}: Readonly<{ list: readonly Difference[]; names: ReadonlyMap<string, string> }>) {
  const named = (text: string): string => names.get(text) ?? text;
  return (
    <dl className="grid gap-1 rounded-lg bg-sunken px-3 py-2 text-xs">
      {list.map(({ field, before, after }) => (
        <div key={field} className="grid gap-x-3 sm:grid-cols-[11rem_1fr]">
          <dt className="text-quiet">{field}</dt>
          <dd className="min-w-0 break-words">
            {before !== null && <del className="text-quiet">{named(before)}</del>}
            {before !== null && after !== null && <span aria-hidden="true"> → </span>}
            {after !== null && <ins className="font-medium no-underline">{named(after)}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
