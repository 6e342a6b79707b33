// One user: their balance, keys and organizations, and what the operator can do.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { creditUser, suspendUser, type UserDetail, userQuery, usersKey } from '../../../api/operator/users.ts';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Stat, StatRow } from '../../../ui/stat.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { AccountStatement } from '../account-statement.tsx';
import { AdjustButton } from '../adjust-dialog.tsx';
import { CreditButton } from '../credit-dialog.tsx';
import { Allowed } from '../role.tsx';
import { SuspendButton, SuspensionBadge } from '../suspend-button.tsx';
import { ExposureCard } from '../system/exposure-card.tsx';
import { UsageCard } from '../usage-card.tsx';
import { UserKeys } from './user-keys.tsx';

export function UserPage() {
  const { userId } = useParams({ from: '/operator/users/$userId' });
  const query = useQuery(userQuery(userId));
  return <QueryView query={query}>{(user) => <UserView key={user.id} user={user} />}</QueryView>;
}

function UserView({ user }: Readonly<{ user: UserDetail }>) {
  return (
    <Page
      title={user.name}
      description={user.email}
      actions={
        <Allowed least="support">
          <SuspendButton
            name={user.name}
            isSuspended={user.suspended}
            touches={usersKey}
            run={(suspended) => suspendUser(user.id, suspended)}
          />
          <AdjustButton kind="users" id={user.id} name={user.name} touches={usersKey} />
          <CreditButton name={user.name} touches={usersKey} run={(body, key) => creditUser(user.id, body, key)} />
        </Allowed>
      }
    >
      <StatRow>
        <Stat label="Balance" value={formatUsd(user.balanceUsd)} />
        <Stat label="Keys" value={formatCount(user.keyCount)} />
        <Stat label="Organizations" value={formatCount(user.organizations.length)} />
        <Stat label="State" value={<SuspensionBadge isSuspended={user.suspended} />} />
      </StatRow>
      <UsageCard kind="users" id={user.id} calls={{ user: user.id }} />
      <UserKeys userId={user.id} />
      <ExposureCard title="Restrictions" isAbout={({ userId }) => userId === user.id} />
      <AccountStatement kind="users" id={user.id} />
      <Card title="About">
        <Facts
          facts={[
            ['Id', <code key="id">{user.id}</code>],
            ['Since', <Moment key="at" at={user.createdAt} />],
            ['Organizations', <Organizations key="organizations" of={user} />],
          ]}
        />
      </Card>
    </Page>
  );
}

function Organizations({ of: { organizations } }: Readonly<{ of: UserDetail }>) {
  if (organizations.length === 0) return 'none';
  return organizations.map(({ id, name, role }) => (
    <span key={id} className="block">
      <Link to="/operator/orgs/$orgId" params={{ orgId: id }} className={textLinkClass}>
        {name}
      </Link>
      , {role.replace('_', ' ')}
    </span>
  ));
}
