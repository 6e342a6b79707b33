// Leaving, here or everywhere. What has to be put away with the session still open goes first.

import type { SignedOutAnswer } from '../../../gateway/src/contract/auth.ts';
import { request } from './request.ts';

const putAway: (() => Promise<void>)[] = [];

/** What a part of the console has made for this session tells here how it is put away. */
export const beforeSignOut = (step: () => Promise<void>): void => void putAway.push(step);

const leaveBy = async (path: string): Promise<SignedOutAnswer> => {
  await Promise.all(putAway.map((step) => step()));
  return request<SignedOutAnswer>('POST', path, { body: {} });
};

export const signOut = () => leaveBy('/api/auth/logout');
export const signOutEverywhere = () => leaveBy('/api/auth/logout-all');
