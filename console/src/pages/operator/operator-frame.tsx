// The frame around the operator's pages: the token first, then the way between the pages and the way out.

import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { ArrowLeft, LogOut } from 'lucide-react';
import { keepOperatorToken, OPERATOR_KEY, useIsOperator } from '../../api/operator/token.ts';
import { navActive, navLinkClass } from '../../layout/nav-link.ts';
import { NavigationSection, SideFrame } from '../../layout/side-frame.tsx';
import { ThemeButton } from '../../layout/theme-button.tsx';
import { Button } from '../../ui/button.tsx';
import { operatorNavigation } from './operator-navigation.ts';
import { TokenEntry } from './token-entry.tsx';

export function OperatorFrame() {
  return useIsOperator() ? <OperatorShell /> : <TokenEntry />;
}

function OperatorShell() {
  return (
    <SideFrame
      brand="Operator"
      home="/operator"
      label="Operator"
      navigation={<Navigation />}
      footer={
        <>
          <LeaveButton />
          <ThemeButton />
        </>
      }
    >
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
