// A titled box, the building block of every page.

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type CardProps = Readonly<{
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
  /** Without inner padding: for tables that reach the edges. */
  isFlush?: boolean;
}>;

export function Card({ title, description, actions, children, className, isFlush = false }: CardProps) {
  const hasHeader = title !== undefined || actions !== undefined;
  return (
    <section className={classNames('min-w-0 rounded-xl border border-line bg-surface', className)}>
      {hasHeader && (
        <header className="flex flex-wrap items-start justify-between gap-3 px-5 pt-4 pb-3">
          <div className="min-w-0">
            {title !== undefined && <h2 className="text-base font-semibold">{title}</h2>}
            {description !== undefined && <p className="mt-0.5 text-sm text-pretty text-quiet">{description}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={isFlush ? flushClass(hasHeader) : title === undefined ? 'p-5' : 'px-5 pb-5'}>{children}</div>
    </section>
  );
}

/** A table at the top of the card needs no line above it. */
const flushClass = (hasHeader: boolean): string => (hasHeader ? '' : '[&>section:first-child_thead_tr]:border-t-0');
