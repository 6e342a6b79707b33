// A breaker: each setting with its own value, the one it would inherit and from where, and what was spent in the
// current minute and hour.

import type { OrgBreaker } from '../../../api/orgs/breakers.ts';
import { Cell, Table } from '../../../ui/table.tsx';
import { LiveSpend } from './live-spend.tsx';
import { settingRows } from './setting-rows.ts';

const COLUMNS = [{ label: 'Setting' }, { label: 'Own value' }, { label: 'Inherited' }, { label: 'In force' }];

export function BreakerView({ breaker }: Readonly<{ breaker: OrgBreaker }>) {
  return (
    <>
      <div className="-mx-5 min-w-0">
        <Table label="Settings" columns={COLUMNS}>
          {settingRows(breaker).map(({ name, own, inherited, from, inForce }) => (
            <tr key={name}>
              <Cell className="whitespace-nowrap">{name}</Cell>
              <Cell>{own ?? <span className="text-quiet">not set</span>}</Cell>
              <Cell className={own === null ? 'whitespace-nowrap' : 'whitespace-nowrap text-quiet'}>
                {inherited} <span className="text-xs text-quiet">from {from}</span>
              </Cell>
              <Cell className="font-medium">{inForce}</Cell>
            </tr>
          ))}
        </Table>
      </div>
      <LiveSpend breaker={breaker} />
    </>
  );
}
