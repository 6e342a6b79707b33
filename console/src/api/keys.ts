// A person's own keys. The list is read again now and then, so that what was spent of a limit is live.

import { queryOptions } from '@tanstack/react-query';
import type { KeyList, KeyObject, NewKeyObject } from '../../../gateway/src/contract/account.ts';
import type { ChangeKeyBody, CreateKeyBody, KeyChangedAnswer } from '../../../gateway/src/contract/keys.ts';
import { request } from './request.ts';

export type Key = KeyObject;
export type NewKey = NewKeyObject;
export type KeyChanges = ChangeKeyBody;
export type KeyWish = CreateKeyBody;

/** Of the key that the playground makes for itself, which nobody has to look after. */
export const PLAYGROUND_KEY_NAME = 'Console playground';

const REFRESH_MS = 5_000;

export const listKeys = async (): Promise<readonly Key[]> => (await request<KeyList>('GET', '/api/account/keys')).keys;

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  refetchInterval: REFRESH_MS,
  queryFn: listKeys,
});

export const createKey = (body: KeyWish) => request<NewKey>('POST', '/api/account/keys', { body });

export const changeKey = (id: string, body: KeyChanges) =>
  request<KeyChangedAnswer>('PATCH', `/api/account/keys/${encodeURIComponent(id)}`, { body });

export const deleteKey = (id: string) => request<void>('DELETE', `/api/account/keys/${encodeURIComponent(id)}`);
