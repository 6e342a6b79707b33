// A feed: whose calls are sent where, and in which form.

import type { FeedForm, FeedSignal } from '../../contract/feeds.ts';

export type FeedOwner = Readonly<{
  kind: 'org' | 'operator';
  /** Empty for the operator, who gets the calls of all accounts. */
  id: string;
}>;

export const OPERATOR_FEEDS: FeedOwner = { kind: 'operator', id: '' };

/** Where a feed is sent, with the credentials. Kept sealed. */
export type FeedSettings =
  | Readonly<{ form: 'otlp'; url: string; headers: readonly string[]; signals: readonly FeedSignal[] }>
  | Readonly<{ form: 'http'; url: string; headers: readonly string[]; secret: string }>
  | Readonly<{
      form: 's3';
      url: string;
      bucket: string;
      region: string;
      prefix: string;
      accessKeyId: string;
      secretAccessKey: string;
    }>
  | Readonly<{ form: 'file'; keepDays: number }>;

export type Feed = Readonly<{
  id: string;
  name: string;
  form: FeedForm;
  host: string;
  isEnabled: boolean;
  createdAt: Date;
  waitingCount: bigint;
  deliveredCount: bigint;
  lostCount: bigint;
  deliveredAt: Date | null;
  failure: string | null;
}>;

/** The failure of a feed whose settings were sealed with another secret. */
export const UNREADABLE = 'its settings cannot be opened';

/** The settings are sealed for their own row, and cannot be opened in another. */
export const settingsPlace = (feedId: string): string => `feed ${feedId}`;
