// Tables that scroll sideways inside their card, so that a phone shows the page itself without scrolling sideways. One
// with many columns becomes a list of cards there: styles.css puts the name of the column beside each value.

import type { CSSProperties, ReactNode, TdHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';

type Column = Readonly<{ label: string; isNumber?: boolean; isHidden?: boolean }>;

type TableProps = Readonly<{ label: string; columns: readonly Column[]; children: ReactNode }>;

/** So many columns fit beside each other on a phone. */
const PHONE_COLUMNS_MAX = 3;

export function Table({ label, columns, children }: TableProps) {
  return (
    // The region must be reachable by keyboard to be scrolled by it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
    <section aria-label={label} tabIndex={0} className="relative overflow-x-auto">
      <table
        className={classNames('w-full text-sm', columns.length > PHONE_COLUMNS_MAX && 'cards-on-phones')}
        style={columnNames(columns)}
      >
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

/** The first column is a card's heading, and what has no visible name on a desk has none on a phone. */
const columnNames = (columns: readonly Column[]): CSSProperties =>
  Object.fromEntries(
    columns.flatMap(({ label, isHidden }, index) =>
      index === 0 || isHidden === true ? [] : [[`--column-${index + 1}`, JSON.stringify(label)]],
    ),
  );

type CellProps = TdHTMLAttributes<HTMLTableCellElement> & Readonly<{ isNumber?: boolean }>;

export function Cell({ isNumber = false, className, children, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      className={classNames(
        'px-5 py-2.5 align-middle',
        isNumber && 'text-right whitespace-nowrap tabular-nums',
        className,
      )}
    >
      <div className="min-w-0">{children}</div>
    </td>
  );
}
