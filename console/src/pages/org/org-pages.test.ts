import { expect, test } from 'vitest';
import { maySee, ORG_PAGES, pagesFor } from './org-pages.ts';

const idsFor = (role: Parameters<typeof pagesFor>[0]): readonly string[] => pagesFor(role).map(({ id }) => id);

test('ORG-16 an administrator of the organization is offered every page', () => {
  expect(idsFor('org_admin')).toEqual(ORG_PAGES.map(({ id }) => id));
});

test('ORG-17 ORG-18 the other roles are offered what they may read, and no more', () => {
  expect(idsFor('billing_viewer')).toEqual(['overview', 'keys', 'breakers', 'reports']);
  expect(idsFor('team_admin')).toEqual(['overview', 'teams', 'members', 'keys', 'breakers']);
  expect(idsFor('member')).toEqual(['overview', 'keys']);
  expect([maySee('member', 'members'), maySee('team_admin', 'members')]).toEqual([false, true]);
});
