// The names of notice kinds, channels and outcomes. An unknown one is shown by its id.

import type { NoticeAddress, NoticeEntry } from '../../api/notices.ts';
import type { Tone } from '../../ui/badge.tsx';

const KINDS: Readonly<Record<string, string>> = {
  'balance.low': 'The balance falls below an amount',
  'budget.reached': 'A budget is used to 80 or 100\u00a0%',
  'breaker.tripped': 'A spend breaker trips',
  'key.unused': 'A key is unused for 90 days',
  'key.expiring': 'A key expires within a week',
  'key.leaked': 'A key is seen in public',
  'top_up.failed': 'A top-up fails',
  'top_up.ceiling': 'Automatic top-ups reach what they may buy in a month',
  'account.restricted': 'Calls are restricted for unpaid cost',
  'upstream.failing': 'An own upstream fails its check',
  'feed.failing': 'A feed cannot deliver its records',
  'provider.failing': 'A provider is in trouble',
  'books.differ': 'The daily check of the books finds a difference',
  'batch.ended': 'A batch has ended',
  'video.ended': 'A video has ended',
  test: 'Test',
};

export const kindText = (kind: string): string => KINDS[kind] ?? kind;

export const CHANNELS: Readonly<Record<NoticeAddress['channel'], string>> = {
  mail: 'Mail',
  webhook: 'Signed webhook',
  slack: 'Slack-compatible chat',
};

/** `failed` is a notice that waits after an attempt in vain. */
export const STATES: Readonly<Record<NoticeEntry['state'] | 'failed', readonly [string, Tone]>> = {
  waiting: ['On its way', 'accent'],
  failed: ['Is tried again', 'warn'],
  sent: ['Sent', 'good'],
  given_up: ['Given up', 'bad'],
  held_back: ['Held back', 'warn'],
};
