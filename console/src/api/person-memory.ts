// What the page keeps in its memory for the person who is signed in, beside the answers in the query cache. It is
// forgotten when they sign out, and when somebody signs in: a session may have ended by its age, and the person who
// signs in then may be another.

import type { QueryClient } from '@tanstack/react-query';
import { type Session, sessionQuery } from './session.ts';

const steps: (() => void)[] = [];

/** The part of the console that remembers something says here how it is forgotten. */
export const forgottenWithPerson = (step: () => void): void => void steps.push(step);

export function forgetPerson(queryClient: QueryClient): void {
  for (const step of steps) step();
  queryClient.clear();
}

export function beginSession(queryClient: QueryClient, session: Session): void {
  // Nothing that was read before belongs to this person.
  forgetPerson(queryClient);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}
