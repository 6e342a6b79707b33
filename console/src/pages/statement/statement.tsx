// A person's statement, or that of an organization whose spending they may see.

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ownStatement, statementQuery } from '../../api/statement.ts';
import { AccountSwitch } from '../../layout/account-switch.tsx';
import type { Coming } from '../../page-route.ts';
import { Page } from '../../ui/page.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { StatementView } from './statement-view.tsx';

export function ahead({ queryClient, search: { orgId, ...wish } }: Coming): void {
  void queryClient.prefetchInfiniteQuery(statementQuery(ownStatement(orgId), wish));
}

export function StatementPage() {
  const { orgId, ...wish } = useSearch({ from: '/member/statement' });
  const navigate = useNavigate({ from: '/statement' });
  return (
    <Page
      title="Statement"
      description="Everything that was credited and charged, with the balance after it."
      actions={
        <AccountSwitch
          orgId={orgId}
          onChange={(chosen) => void navigate({ search: { orgId: chosen }, replace: true })}
        />
      }
    >
      <StatementView
        key={orgId}
        source={ownStatement(orgId)}
        wish={wish}
        onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true })}
        linkOf={(id) => (
          <Link to="/generations/$id" params={{ id }} search={{ orgId }} className={textLinkClass}>
            <ShortId id={id} />
          </Link>
        )}
      />
    </Page>
  );
}
