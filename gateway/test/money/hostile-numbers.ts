// Forty numbers that have broken billing systems, and every field of ours that takes a quantity. The numbers are JSON
// text, because several of them are not JSON, or not a double, and must arrive as they are. For another endpoint, add a
// row.

export const HOSTILE_NUMBERS: readonly string[] = [
  '-1',
  '0',
  '-0',
  '0.5',
  '-0.5',
  '1.0000000000000002',
  '1e-400',
  '5e-324',
  '0.0000000001',
  '1e9',
  '1e15',
  '1e18',
  '1e21',
  '1e308',
  '1e309',
  '1e999',
  '-1e999',
  '2147483647',
  '2147483648',
  '4294967296',
  '8999999999',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  `1${'0'.repeat(400)}`,
  '"1"',
  '"-1"',
  '"1e3"',
  '"0x10"',
  '"１２"',
  '" 5 "',
  '"NaN"',
  '""',
  'null',
  'true',
  '[1]',
  '{"value":1}',
  // Not JSON at all.
  'NaN',
  'Infinity',
  '01',
];

export type Target = Readonly<{
  method: 'GET' | 'POST' | 'PATCH';
  /** With `{user}` and `{org}` where their ids go. */
  path: string;
  /** Whose credential: a customer's key, their management key, or the operator's. */
  as: 'customer' | 'manager' | 'operator';
  /** Names of fields, dots for those inside others. In the query of a GET; a header has the number where `*` stands. */
  fields: readonly string[];
  in?: 'header';
  headers?: Readonly<Record<string, string>>;
  /** Everything else that the body needs. */
  body?: Readonly<Record<string, unknown>>;
  /** Whether an answer with 200 is a call that costs what the upstream says, once. */
  isCall?: boolean;
  /** Whether an answer with 202 is a job that ends later and then costs the same. */
  isJob?: boolean;
  /** Whether such an answer is a call that is made later: it is charged if it is answered then. */
  isLater?: boolean;
}>;

const messages = [{ role: 'user', content: 'hi' }];
const model = 'openai/priced';

const chat = {
  method: 'POST',
  as: 'customer',
  fields: [
    'max_tokens',
    'max_completion_tokens',
    'n',
    'temperature',
    'top_p',
    'top_k',
    'seed',
    'top_logprobs',
    'frequency_penalty',
    'reasoning.max_tokens',
    'thinking.budget_tokens',
    'provider.max_price.prompt',
  ],
  body: { model, messages },
  isCall: true,
} as const;

const images = {
  method: 'POST',
  as: 'customer',
  fields: ['n', 'size', 'seed', 'output_compression', 'provider.max_price.image'],
  body: { model: 'acme/painter', prompt: 'hi' },
  isCall: true,
} as const;

export const TARGETS: readonly Target[] = [
  { ...chat, path: '/v1/chat/completions' },
  { ...chat, path: '/v1/cursor/chat/completions' },
  {
    method: 'POST',
    path: '/v1/responses',
    as: 'customer',
    fields: ['max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'max_tool_calls', 'reasoning.max_tokens'],
    body: { model, input: 'hi' },
    isCall: true,
  },
  {
    method: 'POST',
    path: '/v1/messages',
    as: 'customer',
    fields: ['max_tokens', 'temperature', 'top_p', 'top_k', 'thinking.budget_tokens'],
    body: { model, max_tokens: 100, messages },
    isCall: true,
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    as: 'customer',
    fields: ['max_tokens', 'thinking.budget_tokens'],
    body: { model, messages },
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    as: 'customer',
    fields: ['max_output_tokens'],
    body: { model, input: 'hi' },
  },
  {
    method: 'POST',
    path: '/v1/completions',
    as: 'customer',
    fields: ['max_tokens', 'n', 'best_of', 'logprobs', 'temperature', 'top_p', 'seed', 'frequency_penalty'],
    body: { model, prompt: 'hi' },
    isCall: true,
  },
  // The headers of a call; each has a body of its own, so that none is answered by another's kept answer.
  {
    ...chat,
    path: '/v1/chat/completions',
    in: 'header',
    fields: ['X-Tollgate-Cache: ttl=*, refresh', 'Idempotency-Key: *', 'X-Free-Fallback: *', 'Prefer: wait=*'],
  },
  {
    ...chat,
    path: '/v1/chat/completions',
    fields: ['max_tokens', 'n'],
    headers: { Prefer: 'respond-async, wait=1e999' },
    isCall: false,
    isLater: true,
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    as: 'customer',
    fields: ['dimensions', 'input', 'provider.max_price.prompt'],
    body: { model: 'acme/embed', input: 'hi' },
    isCall: true,
  },
  {
    method: 'POST',
    path: '/v1/moderations',
    as: 'customer',
    fields: ['input', 'provider.max_price.request'],
    body: { model: 'acme/judge', input: 'hi' },
    isCall: true,
  },
  {
    method: 'POST',
    path: '/v1/batches',
    as: 'customer',
    fields: ['input_file_id', 'completion_window', 'metadata', 'metadata.a', 'output_expires_after.seconds'],
    body: { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' },
  },
  {
    method: 'POST',
    path: '/v1/messages/batches',
    as: 'customer',
    fields: ['requests', 'limit'],
    body: { requests: [] },
  },
  { ...images, path: '/v1/images/generations' },
  { ...images, path: '/v1/images' },
  {
    method: 'POST',
    path: '/v1/rerank',
    as: 'customer',
    fields: ['top_n', 'max_tokens_per_doc', 'priority'],
    body: { model: 'acme/ranker', query: 'hi', documents: ['a', 'b'] },
    isCall: true,
  },
  {
    method: 'POST',
    path: '/v1/videos',
    as: 'customer',
    fields: ['duration', 'seconds', 'seed', 'provider.max_price.video_second'],
    body: { model: 'openai/film', prompt: 'x' },
    isJob: true,
  },
  {
    method: 'POST',
    path: '/v1/video/generations',
    as: 'customer',
    fields: ['duration', 'size', 'resolution', 'aspect_ratio'],
    body: { model: 'openai/film', prompt: 'x' },
    isJob: true,
  },
  { method: 'GET', path: '/v1/videos', as: 'customer', fields: ['limit', 'after'] },
  { method: 'GET', path: '/v1/videos/vjob_000000000000000000000000/content', as: 'customer', fields: ['index'] },
  { method: 'GET', path: '/v1/files', as: 'customer', fields: ['limit', 'after'] },
  { method: 'GET', path: '/v1/batches', as: 'customer', fields: ['limit', 'after'] },
  { method: 'GET', path: '/v1/messages/batches', as: 'customer', fields: ['limit', 'after_id', 'before_id'] },
  { method: 'GET', path: '/v1/jobs', as: 'customer', fields: ['limit', 'after'] },
  { method: 'GET', path: '/v1/usage', as: 'customer', fields: ['period', 'from', 'to'] },
  { method: 'GET', path: '/v1/insights', as: 'customer', fields: ['period', 'heatmap_metric', 'model', 'app'] },
  { method: 'GET', path: '/v1/generation', as: 'customer', fields: ['id'] },
  { method: 'GET', path: '/v1/credits/topups', as: 'customer', fields: ['limit', 'after'] },
  { method: 'GET', path: '/v1/credits/topups/quote', as: 'customer', fields: ['amountUsd'] },
  { method: 'POST', path: '/v1/credits/topups', as: 'customer', fields: ['amountUsd'], body: {} },
  {
    method: 'PATCH',
    path: '/v1/account/circuit-breaker',
    as: 'customer',
    fields: ['cbPerMinuteUsd', 'cbHourlyUsd'],
    body: {},
  },
  {
    method: 'POST',
    path: '/v1/keys',
    as: 'manager',
    fields: ['limit', 'cacheTtlSeconds'],
    body: { name: 'limited' },
  },
  {
    method: 'POST',
    path: '/admin/v1/users/{user}/credits',
    as: 'operator',
    fields: ['amountUsd'],
    body: { note: 'x' },
  },
  { method: 'POST', path: '/admin/v1/orgs/{org}/credits', as: 'operator', fields: ['amountUsd'], body: { note: 'x' } },
  {
    method: 'POST',
    path: '/admin/v1/orgs',
    as: 'operator',
    fields: ['creditLineUsd'],
    body: { name: 'hostile', ownerUserId: '{user}', billingPlan: 'monthly' },
  },
  {
    method: 'PATCH',
    path: '/admin/v1/orgs/{org}',
    as: 'operator',
    fields: ['creditLineUsd'],
    body: { billingPlan: 'monthly' },
  },
  { method: 'GET', path: '/admin/v1/orders', as: 'operator', fields: ['limit', 'after'] },
  { method: 'PATCH', path: '/admin/v1/brake', as: 'operator', fields: ['minuteUsd', 'hourUsd'], body: {} },
];

/** Lines of a batch: every number that is JSON, in the fields that make a conversation dear, each under its name. */
export const HOSTILE_LINES: readonly Readonly<{ name: string; body: string }>[] = ['max_tokens', 'n', 'seed'].flatMap(
  (field) =>
    HOSTILE_NUMBERS.filter(isJson).map((number, index) => ({
      name: `${field}.${index}`,
      body: bodyWith({ ...chat.body, max_tokens: 50 }, field, number),
    })),
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The body's text with the number in its place, untouched by any parser. */
export function bodyWith(body: Readonly<Record<string, unknown>>, field: string, number: string): string {
  const [first = '', ...inner] = field.split('.');
  let value = number;
  for (const name of inner.toReversed()) value = `{${JSON.stringify(name)}:${value}}`;
  const { [first]: _, ...rest } = body;
  const others = JSON.stringify(rest).slice(1, -1);
  return `{${others}${others === '' ? '' : ','}${JSON.stringify(first)}:${value}}`;
}
