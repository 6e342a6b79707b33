// Buttons, and links that look like one. `isBusy` keeps the label in place, so that nothing jumps while work is done,
// and the focus, which a disabled button would lose. A button that has it sends something, and takes a double click for
// one: the second press can come before it is known to be busy.

import type { ButtonHTMLAttributes, MouseEvent } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './spinner.tsx';

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'ghost';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line hover:bg-sunken',
  danger: 'bg-surface text-bad border-line hover:bg-bad-soft',
  ghost: 'bg-transparent text-ink border-transparent hover:bg-sunken',
};

export const buttonClass = (kind: ButtonKind = 'plain', isSmall = false): string =>
  classNames(
    'inline-flex items-center justify-center gap-2 rounded-lg border font-medium whitespace-nowrap transition-colors',
    'disabled:opacity-55 disabled:pointer-events-none aria-disabled:opacity-55 aria-disabled:pointer-events-none',
    isSmall ? 'px-2.5 py-1 text-sm' : 'px-3.5 py-2 text-sm',
    KINDS[kind],
  );

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Readonly<{ kind?: ButtonKind; isSmall?: boolean; isBusy?: boolean }>;

export function Button({ kind, isSmall, isBusy, className, children, onClick, ...rest }: ButtonProps) {
  const take = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isBusy === true || (isBusy === false && event.detail > 1)) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy ?? false}
      onClick={take}
      className={classNames(buttonClass(kind, isSmall), className)}
    >
      {isBusy === true && <Spinner />}
      {children}
    </button>
  );
}
