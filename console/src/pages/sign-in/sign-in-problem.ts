// Why a sign-in through another site led back here, in words that say what to do next.

const PROBLEMS: Readonly<Record<string, string>> = {
  denied: 'The other site did not let you in. Try again, or sign in with your password.',
  expired: 'That took too long, or was begun in another browser. Please try again.',
  failed: 'The other site did not answer as expected. Try again in a moment.',
  unverified:
    'Your account at the other site has no confirmed email address, or none of your organization. Ask its administrator.',
  unknown: 'No organization has set up single sign-on for this address. Sign in with your password.',
  full: 'Your organization has no free seat. Ask its administrator.',
  throttled: 'Too many sign-ins were begun from your network. Wait a few minutes and try again.',
  suspended: 'This account is suspended. Ask the operator of this gateway.',
};

export const signInProblem = (error: string | undefined): string | null =>
  error === undefined ? null : (PROBLEMS[error] ?? 'Signing in did not work. Please try again.');
