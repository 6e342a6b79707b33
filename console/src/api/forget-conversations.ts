// Where the browser keeps conversations of the playground, and how all of them go. It is apart from what reads them,
// because every page can be left and few of them show a conversation.

export const KEPT_PREFIX = 'tollgate-playground:';

/** Whoever signs in next in this browser finds nothing of anybody. */
export function forgetAllConversations(): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(KEPT_PREFIX));
  for (const name of names) localStorage.removeItem(name);
}
