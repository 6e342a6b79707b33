// Where the browser stores conversations of the playground, and how all of them are removed. This is a file of its own,
// because every page can sign out and few show a conversation.

export const KEPT_PREFIX = 'tollgate-playground:';

/** The next person who signs in with this browser must find nothing. */
export function forgetAllConversations(): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(KEPT_PREFIX));
  for (const name of names) localStorage.removeItem(name);
}
