// What a form needs to know of a part of the config document, read from the schema that the gateway checks it with: so
// every setting has a field from the day it exists.

export type Schema = Readonly<{
  type?: string;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  description?: string;
  /** What a text must match. */
  pattern?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  patternProperties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
}>;

export type Values = Readonly<Record<string, unknown>>;

/** `words` and `flags` are lists of texts, free ones and known ones; `entries` have names that the operator gives. */
export type Kind = 'text' | 'number' | 'flag' | 'choice' | 'words' | 'flags' | 'group' | 'list' | 'entries' | 'either';

export function kindOf(schema: Schema): Kind {
  if (schema.anyOf !== undefined) return 'either';
  if (schema.type === 'object') return schema.properties === undefined ? 'entries' : 'group';
  if (schema.type === 'array') return kindOfList(schema.items ?? {});
  if (schema.type === 'boolean') return 'flag';
  if (schema.enum !== undefined) return 'choice';
  return schema.type === 'integer' || schema.type === 'number' ? 'number' : 'text';
}

function kindOfList(items: Schema): Kind {
  if (items.type === 'object') return 'list';
  return items.enum === undefined ? 'words' : 'flags';
}

/** Parts that need a section of their own, which is opened on demand. */
export const isDeep = (schema: Schema): boolean => ['group', 'list', 'entries'].includes(kindOf(schema));

/** The schema of the values in a mapping with free names. */
export const entrySchema = ({ patternProperties, additionalProperties }: Schema): Schema =>
  Object.values(patternProperties ?? {})[0] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});

const LABELS: Readonly<Record<string, string>> = {
  prompt: 'In, USD per 1M tokens',
  completion: 'Out, USD per 1M tokens',
  cache_read: 'Cache read, USD per 1M tokens',
  cache_write: 'Cache write, USD per 1M tokens',
  cache_write_1h: 'Cache write for an hour, USD per 1M tokens',
  image: 'USD per picture',
  video_second: 'USD per second of video',
  audio_second: 'USD per second of audio',
  character: 'USD per character',
  search: 'USD per search of documents',
  web_search: 'USD per search of the web',
  hosted_tool: 'USD per use of a provider’s tool',
  request: 'USD per request',
};

const TIER_LABELS: Readonly<Record<string, string>> = {
  above_prompt_tokens: 'For prompts longer than, tokens',
  prompt: 'In, USD per token',
  completion: 'Out, USD per token',
  cache_read: 'Cache read, USD per token',
  cache_write: 'Cache write, USD per token',
  cache_write_1h: 'Cache write for an hour, USD per token',
};

/** Prices are labelled with their units; everything else is named as in the document. */
export function labelOf(key: string, schema: Schema, within: Schema): string {
  if (within.properties?.above_prompt_tokens !== undefined) return TIER_LABELS[key] ?? wordsOf(key);
  if (key === 'add' && within.properties?.percent !== undefined) return 'Amounts on top of prices';
  const label = kindOf(schema) === 'text' && within.properties?.prompt !== undefined ? LABELS[key] : undefined;
  return label ?? wordsOf(key);
}

export function wordsOf(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/\busd\b/, 'USD')
    .replace(/\burl\b/, 'URL')
    .replace(/\bapi\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The expected value, where that says more than the label; units of prices are in their labels. */
export function hintOf({ description }: Schema): string | undefined {
  const isPlain = description === undefined || /^(?:text of|a price in) /.test(description);
  return isPlain ? undefined : wordsOf(description);
}

/** Known settings in their order, then other members of the document. */
export function keysOf(schema: Schema, values: Values): readonly string[] {
  const known = Object.keys(schema.properties ?? {});
  const others = typeof schema.additionalProperties === 'object' ? Object.keys(values) : [];
  return [...known, ...others.filter((key) => !known.includes(key))];
}

/** A value that was emptied is removed, because the document has no empty ones; the others keep their places. */
export function withValue(values: Values, key: string, value: unknown): Values {
  const { [key]: _gone, ...rest } = values;
  return value === undefined ? rest : { ...values, [key]: value };
}

export const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textsOf = (text: string): readonly string[] =>
  text
    .split(/[\n,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
