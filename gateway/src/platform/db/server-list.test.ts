// How addresses of databases are read: as libpq reads them.

import { describe, expect, test } from 'vitest';
import { AddressError, readServerList } from './server-list.ts';

const urlsOf = (address: string): string[] => readServerList(address).servers.map(({ url }) => url);
const protectionsOf = (address: string) => readServerList(address).servers[0]?.protections;

describe('hosts', () => {
  test.each([
    ['postgres://u:p%40s@h/db', ['postgres://u:p%40s@h:5432/db']],
    ['postgresql://u@h:1/db?application_name=x', ['postgresql://u@h:1/db?application_name=x']],
    ['postgres://u:p@a:1,b:2/db?target_session_attrs=read-write', ['postgres://u:p@a:1/db', 'postgres://u:p@b:2/db']],
    ['postgres://u:p@a,b/db?port=7', ['postgres://u:p@a:7/db', 'postgres://u:p@b:7/db']],
    ['postgres://u@[::1]:5,[fe80::2]/db', ['postgres://u@[::1]:5/db', 'postgres://u@[fe80::2]:5432/db']],
    ['postgres:///db?host=/run/pg&user=x', ['postgres:///db?user=x&host=%2Frun%2Fpg&port=5432']],
    ['postgres:///db?host=a,b&port=1,2', ['postgres://a:1/db', 'postgres://b:2/db']],
  ])('%s', (address, urls) => {
    expect(urlsOf(address)).toEqual(urls);
  });

  test.each([
    'mysql://h/db',
    'postgres://u@h:99999/db',
    'postgres://u@h:1x/db',
    'postgres://u@h/db?sslmode=sometimes',
    'postgres://u@h/db?target_session_attrs=best',
    'postgres://u@h/db?sslmode=verify-ca',
    'postgres://u@h/db?sslrootcert=/nonexistent&sslmode=verify-full',
    'postgres://u@h/db?x=%zz',
  ])('%s is refused', (address) => {
    expect(() => readServerList(address)).toThrow(AddressError);
  });

  test('a refusal repeats no password', () => {
    for (const address of ['postgres://u:hunter2@h:x/db', 'mysql://u:hunter2@h/db', 'postgres://u:hunter2@h h/db']) {
      try {
        readServerList(address);
        expect.unreachable(address);
      } catch (error) {
        expect(String(error)).not.toContain('hunter2');
      }
    }
  });
});

describe('sslmode', () => {
  test('says in which order the line is protected', () => {
    expect(protectionsOf('postgres://h/db')).toEqual([{ rejectUnauthorized: false }, false]);
    expect(protectionsOf('postgres://h/db?sslmode=allow')).toEqual([false, { rejectUnauthorized: false }]);
    expect(protectionsOf('postgres://h/db?sslmode=disable')).toEqual([false]);
    expect(protectionsOf('postgres://h/db?ssl=true')).toEqual([{ rejectUnauthorized: false }]);
    expect(protectionsOf('postgres://h/db?sslmode=verify-full')).toEqual([{ rejectUnauthorized: true }]);
    expect(protectionsOf('postgres://h/db?sslrootcert=system')).toEqual([{ rejectUnauthorized: true }]);
    expect(protectionsOf('postgres:///db?host=/run/pg&sslmode=require')).toEqual([false]);
  });
});
