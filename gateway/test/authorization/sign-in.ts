// A session as a browser has it: what to send after signing in.

import type { Harness } from '../harness.ts';

export async function signIn(harness: Harness, email: string, password: string): Promise<Record<string, string>> {
  const answer = await harness.request('POST', '/api/auth/login', {
    body: { email, password },
    headers: { Origin: harness.url },
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return { Cookie: cookie, Origin: harness.url, 'Sec-Fetch-Site': 'same-origin' };
}
