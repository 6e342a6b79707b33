// Leaving, here or everywhere. The key that the playground made for itself goes first, while there is a session to do it.

import type { SignedOutAnswer } from '../../../gateway/src/contract/auth.ts';
import { dropPlaygroundKey } from './playground-key.ts';
import { request } from './request.ts';

export async function signOut(): Promise<SignedOutAnswer> {
  await dropPlaygroundKey();
  return request<SignedOutAnswer>('POST', '/api/auth/logout', { body: {} });
}

export async function signOutEverywhere(): Promise<SignedOutAnswer> {
  await dropPlaygroundKey();
  return request<SignedOutAnswer>('POST', '/api/auth/logout-all', { body: {} });
}
