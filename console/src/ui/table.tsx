// Tables that scroll sideways inside their card, so that a phone shows the page itself without scrolling sideways. One
// with many columns becomes a list of cards there: styles.css puts the name of the column beside each value.

import { Children, type CSSProperties, type ReactNode, type TdHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';
import { usePortion } from './use-portion.ts';

export type Column = Readonly<{
  label: string;
  isNumber?: boolean;
  isHidden?: boolean;
  /** Sorts the list by this column when its name is pressed. */
  sort?: Readonly<{ direction: 'ascending' | 'descending' | 'none'; onSort: () => void }>;
}>;

type TableProps = Readonly<{ label: string; columns: readonly Column[]; children: ReactNode }>;

/** This many columns fit side by side on a phone. */
const PHONE_COLUMNS_MAX = 2;

export function Table({ label, columns, children }: TableProps) {
  const rows = Children.toArray(children);
  const { shown, edge } = usePortion(rows.length);
  return (
    // The region must be reachable by keyboard to be scrolled by it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
    <section aria-label={label} tabIndex={0} className="relative overflow-x-auto">
      <table
        className={classNames('w-full text-sm', columns.length > PHONE_COLUMNS_MAX && 'cards-on-phones')}
        style={columnNames(columns)}
        // With the header row; a screen reader must not count only the drawn portion.
        aria-rowcount={edge === null ? undefined : rows.length + 1}
      >
        <thead>
          <tr className="border-y border-line text-left text-xs text-quiet">
            {columns.map(({ label: text, isNumber, isHidden, sort }) => (
              <th
                key={text}
                scope="col"
                aria-sort={sort?.direction}
                className={classNames('px-2 py-1 font-medium first:pl-4 last:pr-4 xl:px-5', isNumber && 'text-right')}
              >
                {sort !== undefined && <SortButton text={text} sort={sort} />}
                {sort === undefined && <span className={isHidden === true ? 'sr-only' : 'block py-1'}>{text}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{rows.slice(0, shown)}</tbody>
      </table>
      {edge !== null && <div key={shown} ref={edge} />}
    </section>
  );
}

const ARROWS = { ascending: '↑', descending: '↓', none: '' } as const;

function SortButton({ text, sort }: Readonly<{ text: string; sort: NonNullable<Column['sort']> }>) {
  return (
    <button type="button" onClick={sort.onSort} className="py-1 font-medium hover:text-ink hover:underline">
      {text} <span aria-hidden="true">{ARROWS[sort.direction]}</span>
    </button>
  );
}

/** The first column is a card's heading, and a column without a visible name has none on a phone either. */
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
        'px-2 py-2.5 align-middle first:pl-4 last:pr-4 xl:px-5',
        isNumber && 'text-right whitespace-nowrap tabular-nums',
        className,
      )}
    >
      <div className="min-w-0">{children}</div>
    </td>
  );
}
