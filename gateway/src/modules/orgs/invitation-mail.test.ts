// Strangers typed the names in an invitation, and the mail is sent in our name.

import { expect, test } from 'vitest';
import { invitationMail } from './invitation-mail.ts';

const letter = { to: 'a@example.test', orgName: 'Acme', inviterName: 'Ann', link: 'https://t.test/x#y', validDays: 7 };

test('ORG-15 the mail names the organization and carries the link', () => {
  const { to, subject, text } = invitationMail(letter);
  expect([to, subject]).toEqual(['a@example.test', 'Invitation to join "Acme"']);
  expect(text).toContain('https://t.test/x#y');
  expect(text).toContain('for 7 days');
});

test('ORG-15 a name can neither bring a link of its own nor break a line', () => {
  const orgName = `Win at https://evil.example.com/now\r\nBcc: x@y.z "${'long '.repeat(60)}`;
  const { subject, text } = invitationMail({ ...letter, orgName, inviterName: 'www.evil.test' });
  expect(subject).not.toMatch(/[\r\n]|:\/\/|example\.com/);
  expect(subject.length).toBeLessThan(130);
  expect(text).not.toMatch(/evil\.example\.com|www\.evil/);
  expect(text.split('\n')).toHaveLength(10);
});
