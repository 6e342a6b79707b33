// Tables that scroll sideways inside their card, so that a phone shows the page itself without scrolling sideways.

import type { ReactNode, TdHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';

type Column = Readonly<{ label: string; isNumber?: boolean; isHidden?: boolean }>;

type TableProps = Readonly<{ label: string; columns: readonly Column[]; children: ReactNode }>;

export function Table({ label, columns, children }: TableProps) {
  return (
    // The region must be reachable by keyboard to be scrolled by it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
    <section aria-label={label} tabIndex={0} className="relative overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-y border-line text-left text-xs text-quiet">
            {columns.map(({ label: text, isNumber, isHidden }) => (
              <th key={text} scope="col" className={classNames('px-5 py-2 font-medium', isNumber && 'text-right')}>
                {isHidden === true ? <span className="sr-only">{text}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </section>
  );
}

type CellProps = TdHTMLAttributes<HTMLTableCellElement> & Readonly<{ isNumber?: boolean }>;

export function Cell({ isNumber = false, className, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      className={classNames(
        'px-5 py-2.5 align-middle',
        isNumber && 'text-right whitespace-nowrap tabular-nums',
        className,
      )}
    />
  );
}
