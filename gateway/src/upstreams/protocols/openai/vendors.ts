// What is known of single vendors of this protocol, by the host that is called: what they refuse the whole call for, or
// ignore, and what they want in addition. It depends on the host and not on the model, which another host may serve with
// all of it.

import type { Candidate, Provider } from '../../../canonical/model.ts';
import { isOrdinaryExtra } from '../../../canonical/usage.ts';

export type Vendor = Readonly<{
  /** Fields that agents send to everybody and that it refuses. */
  fields?: readonly string[];
  /** Members of a message that it refuses; it also wants texts as one text, without markers. */
  members?: readonly string[];
  /** The models that take their thinking back, as `reasoning`; others refuse it. */
  thinkers?: RegExp;
  callIds?: CallIds;
  /** Undefined where both names are known, or nobody knows. */
  limitName?: 'max_tokens' | 'max_completion_tokens';
  /** Models whose sampling is fixed: they refuse any other, and some also the right one while they think. */
  fixedSampling?: RegExp;
  /** The two sides must take turns. */
  takesTurns?: true;
  /** It refuses messages of its thinking models that lack `reasoning_content`. */
  wantsThinking?: true;
  /** Its tiers have names of their own, and it refuses the ordinary ones of others. */
  namesTiers?: true;
  /** It takes every word for an effort, and the nearest that a model knows for one that it does not. */
  takesAnyEffort?: true;
}>;
export type CallIds = Readonly<{ pattern: RegExp; length: number }>;
export type Destination = Readonly<{ provider: Pick<Provider, 'baseUrl'> }> & Pick<Candidate, 'upstreamModel'>;

const FIELDS: readonly string[] = [
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'verbosity',
];
const SAMPLING: readonly string[] = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];
const REFUSED: readonly string[] = [
  ...['refusal', 'annotations', 'audio', 'images', 'function_call'],
  ...['reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'],
];
const OPENAI_IDS: CallIds = { pattern: /^.{1,40}$/s, length: 40 };
/** Models that think know the newer name alone, and all others know it as well. */
const OPENAI: Vendor = { callIds: OPENAI_IDS, limitName: 'max_completion_tokens' };
const MISTRAL_IDS: CallIds = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 };
const OLDER_LIMIT: Vendor = { limitName: 'max_tokens' };
const MOONSHOT: Vendor = { ...OLDER_LIMIT, fixedSampling: /kimi-k(?:2\.[5-9]|[3-9])/, wantsThinking: true };

/** By host, or by what follows the first part of its name. */
const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['api.openai.com', OPENAI],
  ['.openai.azure.com', OPENAI],
  ['.cognitiveservices.azure.com', OPENAI],
  [
    'api.mistral.ai',
    {
      ...OLDER_LIMIT,
      // It states the usage of a stream without being asked, and refuses the question.
      fields: [...FIELDS, 'stream_options'],
      members: REFUSED,
      callIds: MISTRAL_IDS,
    },
  ],
  ['api.groq.com', { fields: FIELDS, members: REFUSED, thinkers: /gpt-oss|qwen/, namesTiers: true }],
  ['api.cerebras.ai', { fields: FIELDS, members: REFUSED, thinkers: /./ }],
  ['api.deepseek.com', { ...OLDER_LIMIT, wantsThinking: true, takesAnyEffort: true }],
  ['openrouter.ai', { takesAnyEffort: true }],
  ['.snowflakecomputing.com', {}],
  ['api.perplexity.ai', { ...OLDER_LIMIT, takesTurns: true }],
  ['api.together.xyz', OLDER_LIMIT],
  ['api.moonshot.ai', MOONSHOT],
  ['api.moonshot.cn', MOONSHOT],
  ['integrate.api.nvidia.com', OLDER_LIMIT],
  ['api.z.ai', OLDER_LIMIT],
  ['open.bigmodel.cn', OLDER_LIMIT],
]);

const HOST = /^https?:\/\/([^/:]+)/;

/** By provider, because every call asks several times. */
const known = new WeakMap<Destination['provider'], Vendor | null>();

export function vendorAt({ provider }: Pick<Destination, 'provider'>): Vendor | undefined {
  let vendor = known.get(provider);
  if (vendor === undefined) {
    vendor = findVendor(provider.baseUrl);
    known.set(provider, vendor);
  }
  return vendor ?? undefined;
}

function findVendor(baseUrl: string): Vendor | null {
  const host = HOST.exec(baseUrl)?.[1]?.toLowerCase() ?? '';
  return VENDORS.get(host) ?? VENDORS.get(host.slice(host.indexOf('.'))) ?? null;
}

/** Azure's versions before this one know the older name alone, and have no models that think. */
const OLDEST_VERSION = '2024-09';

/** Undefined where both names are known, or nobody knows. */
export function limitNameAt({ provider }: Pick<Candidate, 'provider'>): Vendor['limitName'] {
  const stated = provider.settings?.output_limit;
  if (stated === 'max_tokens' || stated === 'max_completion_tokens') return stated;
  const version = provider.settings?.api_version;
  // The address for all versions takes no notice of one.
  const isDated = version !== undefined && /^\d/.test(version) && !provider.baseUrl.endsWith('/v1');
  const isOlder = isDated && version < OLDEST_VERSION;
  return isOlder ? 'max_tokens' : vendorAt({ provider })?.limitName;
}

const NO_FIELDS: readonly string[] = [];

/** An ordinary tier is what it has without being asked. */
export const refusesTierAt = (destination: Destination, tier: unknown): boolean =>
  typeof tier === 'string' && isOrdinaryExtra(tier) && vendorAt(destination)?.namesTiers === true;

export function fieldsRefusedAt(destination: Destination): readonly string[] {
  const vendor = vendorAt(destination);
  if (vendor === undefined) return NO_FIELDS;
  return vendor.fixedSampling?.test(destination.upstreamModel) === true ? SAMPLING : (vendor.fields ?? NO_FIELDS);
}
