// What operators did, newest first, reading included.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type LogFilter, operatorLogQuery, operatorsQuery } from '../../../api/operator/operators.ts';
import { SelectField } from '../../../ui/field.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedTable } from '../../../ui/paged-table.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell } from '../../../ui/table.tsx';

const COLUMNS = [{ label: 'When' }, { label: 'Who' }, { label: 'What' }, { label: 'From' }];

export function OperatorAuditLog() {
  const filter: LogFilter = useSearch({ from: '/operator/audit-log' });
  const navigate = useNavigate();
  const { data: operators = [] } = useQuery(operatorsQuery);
  const change = (search: LogFilter): void => void navigate({ to: '/operator/audit-log', search, replace: true });
  return (
    <Page title="Audit log" description="What operators did, including what they only read. The newest first.">
      <div className="flex flex-wrap items-end gap-4">
        <SelectField
          label="Who"
          value={filter.operator ?? ''}
          onChange={({ target }) => change({ ...filter, operator: target.value === '' ? undefined : target.value })}
        >
          <option value="">Everybody</option>
          {operators.map(({ userId, name }) => (
            <option key={userId} value={userId}>
              {name}
            </option>
          ))}
        </SelectField>
        <Switch
          label="Only changes"
          isOn={filter.changes === 'true'}
          onChange={(isOn) => change({ ...filter, changes: isOn ? 'true' : undefined })}
        />
      </div>
      <Actions filter={filter} />
    </Page>
  );
}

function Actions({ filter }: Readonly<{ filter: LogFilter }>) {
  const list = useInfiniteQuery(operatorLogQuery(filter));
  return (
    <PagedTable list={list} label="Actions" columns={COLUMNS} rowsOf={({ data }) => data} empty="There are no entries.">
      {({ id, createdAt, operator, method, route, params, ip }) => (
        <tr key={id}>
          <Cell>
            <Moment at={createdAt} />
          </Cell>
          <Cell>{operator === null ? <span className="text-quiet">operator token</span> : operator.email}</Cell>
          <Cell className="break-all font-mono text-xs">
            {method} {filled(route, params)}
          </Cell>
          <Cell className="font-mono text-xs">{ip ?? '–'}</Cell>
        </tr>
      )}
    </PagedTable>
  );
}

/** The route with its parameters filled in; further parameters follow. */
function filled(route: string, params: Readonly<Record<string, string>>): string {
  const path = route.replace(/:(\w+)/g, (place, name: string) => params[name] ?? place);
  const others = Object.entries(params).filter(([name]) => !route.includes(`:${name}`));
  return [path, ...others.map(([name, value]) => `${name}=${value}`)].join(' ');
}
