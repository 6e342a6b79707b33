// What the log of calls can be narrowed by, as the address of its page carries it.

export const CALL_FILTERS = [
  'user',
  'org',
  'key',
  'model',
  'provider',
  'app',
  'outcome',
  'status',
  'id',
  'from',
  'to',
] as const;

export type CallFilter = Partial<Record<(typeof CALL_FILTERS)[number], string>>;
