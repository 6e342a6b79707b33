// The way to the page of a user. A student has no account and no page, and is named only.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isStudent, studentName } from '../../api/students.ts';
import { textLinkClass } from '../../ui/text-link.ts';

export function UserLink({ userId, children }: Readonly<{ userId: string; children: ReactNode }>) {
  if (isStudent(userId)) return <span title={userId}>{studentName(userId)}</span>;
  return (
    <Link to="/operator/users/$userId" params={{ userId }} className={textLinkClass}>
      {children}
    </Link>
  );
}
