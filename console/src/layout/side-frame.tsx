// The frame of pages with a navigation: at the side, or behind a button on a phone. The entry of the page that is open
// is kept in sight, however long the navigation is.

import { Link, useRouterState } from '@tanstack/react-router';
import { Menu, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { UnreachedNotice } from './unreached-notice.tsx';

type SideFrameProps = Readonly<{
  brand: string;
  /** Where the brand leads. */
  home: '/' | '/operator';
  /** What the navigation is called, and its sections. */
  label: string;
  navigation: ReactNode;
  footer: ReactNode;
  children: ReactNode;
}>;

export function SideFrame({ brand, home, label, navigation, footer, children }: SideFrameProps) {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const entries = useRef<HTMLElement>(null);
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another page opens.
  useEffect(() => setOpen(false), [path]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another entry.
  useEffect(() => {
    entries.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [path]);
  // Whoever followed a link of the page goes on at the top of the next one, and not at the top of the document.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place for the focus.
  useEffect(() => {
    const isHere = document.activeElement === document.body || content.current?.contains(document.activeElement);
    if (isHere === true && !isFirst.current) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3">
        Skip to the content
      </a>
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 lg:hidden">
        <Brand text={brand} home={home} />
        <Button kind="ghost" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          {isOpen ? <X size={20} aria-hidden="true" /> : <Menu size={20} aria-hidden="true" />}
          <span className="sr-only">Menu</span>
        </Button>
      </header>
      <aside
        id="navigation"
        aria-label="Sidebar"
        className={classNames(
          'border-line bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r',
          isOpen ? 'flex flex-col border-b' : 'hidden',
        )}
      >
        <div className="hidden px-5 pt-5 pb-3 lg:block">
          <Brand text={brand} home={home} />
        </div>
        <nav ref={entries} aria-label={label} className="min-h-0 flex-1 overflow-y-auto px-3 py-2">
          {navigation}
        </nav>
        <div className="flex items-center gap-2 border-t border-line p-3">{footer}</div>
      </aside>
      <main ref={content} id="content" tabIndex={-1} className="min-w-0 outline-none">
        <UnreachedNotice />
        {children}
      </main>
    </div>
  );
}

function Brand({ text, home }: Readonly<{ text: string; home: SideFrameProps['home'] }>) {
  return (
    <Link to={home} className="flex items-center gap-2.5 font-semibold tracking-tight">
      <img src="/console/icon.svg" alt="" width={28} height={28} />
      {text}
    </Link>
  );
}

export function NavigationSection({ title, children }: Readonly<{ title: string; children: ReactNode }>) {
  return (
    <div className="mb-4">
      <p className="truncate px-2 pb-1 text-xs font-medium text-quiet" title={title}>
        {title}
      </p>
      <ul className="grid gap-0.5">{children}</ul>
    </div>
  );
}
