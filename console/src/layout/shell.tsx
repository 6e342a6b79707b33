// The frame around every page of a signed-in person.

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { BookOpen, Wrench } from 'lucide-react';
import { useWasOperator } from '../api/operator/remembered.ts';
import { sessionQuery } from '../api/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { navActive, navLinkClass } from './nav-link.ts';
import { navigation } from './navigation.ts';
import { OrgNavigation } from './org-navigation.tsx';
import { NavigationSection, SideFrame } from './side-frame.tsx';
import { ThemeButton } from './theme-button.tsx';

export function Shell() {
  return (
    <SideFrame
      brand="Tollgate"
      home="/"
      label="Main"
      navigation={<Navigation />}
      footer={
        <>
          <AccountMenu />
          <ThemeButton />
        </>
      }
    >
      <Outlet />
    </SideFrame>
  );
}

function Navigation() {
  return (
    <>
      {navigation.map((section) => (
        <NavigationSection key={section.title} title={section.title}>
          {section.pages.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/' }} className={navLinkClass} activeProps={navActive}>
                <Icon size={17} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
          {section.title === 'Build' && <DocsLink />}
        </NavigationSection>
      ))}
      <OrgNavigation />
      <OperatorLink />
    </>
  );
}

/** A page of the gateway beside the console's. */
const DocsLink = () => (
  <li>
    <a href="/docs" className={navLinkClass}>
      <BookOpen size={17} aria-hidden="true" />
      API
    </a>
  </li>
);

/** For operators, and in browsers where the operator token was once accepted; nobody else needs it. */
function OperatorLink() {
  const { data: session } = useQuery(sessionQuery);
  const wasOperator = useWasOperator();
  if (!wasOperator && (session?.operatorRole ?? null) === null) return null;
  return (
    <NavigationSection title="This gateway">
      <li>
        <Link to="/operator" className={navLinkClass}>
          <Wrench size={17} aria-hidden="true" />
          Operator
        </Link>
      </li>
    </NavigationSection>
  );
}
