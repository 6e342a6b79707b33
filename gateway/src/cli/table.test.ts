// Tables for people: which columns are cut where the terminal is narrow, and which never are.

import { describe, expect, test } from 'vitest';
import { formatTable, layTables } from './table.ts';

const COLUMNS = ['id', 'email', 'balanceUsd', 'note'];
const ROWS = [
  { id: 'usr-000000000001', email: 'ann@example.com', balanceUsd: '12.345678901', note: 'a long note that goes on' },
  { id: 'usr-000000000002', email: 'bob.with.a.long.name@example.com', balanceUsd: '0', note: null },
];
const text = `Before\n${formatTable(COLUMNS, ROWS)}\n\nThere are more.`;
const lines = (width?: number): string[] => layTables(text, width).split('\n');

describe('a table', () => {
  test('is as wide as what it holds where nobody is looking', () => {
    const [before, head, first] = lines();
    expect(before).toBe('Before');
    expect(head).toBe('ID                EMAIL                             BALANCE USD   NOTE');
    expect(first).toContain(
      'usr-000000000001  ann@example.com                   12.345678901  a long note that goes on',
    );
  });

  test.each([80, 70, 60])('fits into %i characters: texts are cut, ids and figures are not', (width) => {
    const shown = lines(width);
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(width);
    expect(shown[2]).toContain('usr-000000000001');
    expect(shown[2]).toContain('12.345678901');
    expect(shown.at(-1)).toBe('There are more.');
    if (width < 80) expect(shown[3]).toContain('…');
  });

  test('becomes blocks of lines where even that is not enough', () => {
    const shown = lines(40);
    expect(shown).toContain('EMAIL        bob.with.a.long.name@example.com');
    expect(shown).toContain('BALANCE USD  12.345678901');
    expect(shown.join('\n')).not.toContain('…');
  });

  test('counts the places that a terminal draws, and cuts no character in two', () => {
    const names = formatTable(
      ['name', 'note'],
      [
        { name: '株式会社', note: '🚀'.repeat(8) },
        { name: 'Ann', note: 'x' },
      ],
    );
    expect(layTables(names).split('\n')).toEqual(['NAME      NOTE', `株式会社  ${'🚀'.repeat(8)}`, 'Ann       x']);
    expect(layTables(names, 22).split('\n')[1]).toBe(`株式会社  ${'🚀'.repeat(5)}…`);
  });

  test('no cell can pretend to be two', () => {
    const forged = formatTable(['id', 'name'], [{ id: 1, name: 'a\u001fb' }]);
    expect(layTables(forged).split('\n')[1]).toBe('1   a b');
  });
});
