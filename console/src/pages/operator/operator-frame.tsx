// The frame around the operators' pages: it asks for a session or the token first, then shows the navigation and the
// way out.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { ArrowLeft, LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { keepOperatorToken, OPERATOR_KEY, useHasOperatorToken } from '../../api/operator/token.ts';
import { type Session, sessionQuery } from '../../api/session.ts';
import { navActive, navLinkClass } from '../../layout/nav-link.ts';
import { NavigationSection, SideFrame } from '../../layout/side-frame.tsx';
import { ThemeButton } from '../../layout/theme-button.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { operatorNavigation } from './operator-navigation.ts';
import { RoleContext, useMay } from './role.tsx';
import { TokenEntry } from './token-entry.tsx';

export function OperatorFrame() {
  const hasToken = useHasOperatorToken();
  const { data: session, isPending, error, refetch } = useQuery(sessionQuery);
  if (hasToken) return <OperatorShell footer={<LeaveButton />} />;
  if (isPending) return <Loading />;
  if (session === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (session === null || session.operatorRole === null) return <TokenEntry isSignedIn={session !== null} />;
  return (
    <RoleContext value={session.operatorRole}>
      <OperatorShell footer={<OwnRole session={session} />} />
    </RoleContext>
  );
}

const ROLE_NAMES = { owner: 'Owner', support: 'Support', read_only: 'Read only' } as const;

function OwnRole({ session: { user, operatorRole } }: Readonly<{ session: Session }>) {
  return (
    <p className="min-w-0 flex-1 text-sm">
      <span className="block truncate font-medium">{user.name}</span>
      <span className="text-xs text-quiet">{operatorRole === null ? '' : ROLE_NAMES[operatorRole]}</span>
    </p>
  );
}

function OperatorShell({ footer }: Readonly<{ footer: ReactNode }>) {
  const mayChange = useMay('support');
  return (
    <SideFrame
      brand="Operator"
      home="/operator"
      label="Operator"
      navigation={<Navigation />}
      footer={
        <>
          {footer}
          <ThemeButton />
        </>
      }
    >
      {!mayChange && (
        <div className="mb-5">
          <Notice>You may look at everything here and change nothing. An owner can give you another role.</Notice>
        </div>
      )}
      <Outlet />
    </SideFrame>
  );
}

function LeaveButton() {
  const queryClient = useQueryClient();
  const leave = (): void => {
    keepOperatorToken(null);
    queryClient.removeQueries({ queryKey: [OPERATOR_KEY] });
  };
  return (
    <div className="flex-1">
      <Button isSmall onClick={leave}>
        <LogOut size={16} aria-hidden="true" /> Leave
      </Button>
    </div>
  );
}

function Navigation() {
  return (
    <>
      {operatorNavigation.map((section) => (
        <NavigationSection key={section.title} title={section.title}>
          {section.pages.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/operator', includeSearch: false }}
                className={navLinkClass}
                activeProps={navActive}
              >
                <Icon size={17} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
        </NavigationSection>
      ))}
      <NavigationSection title="Your own account">
        <li>
          <Link to="/" className={navLinkClass}>
            <ArrowLeft size={17} aria-hidden="true" />
            Back to the console
          </Link>
        </li>
      </NavigationSection>
    </>
  );
}
