// Newer data of the price book as it was fetched, which others have written: a vendor or a model of it that cannot be
// read is left out and named, so that all others have their prices.

import type { Provider as BookVendor, ModelInfo } from '@pydantic/genai-prices';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export type ReadBook = Readonly<{
  vendors: readonly BookVendor[];
  /** What was left out: `vendor/model`, or a vendor, by its place where it has no name. */
  ignored: readonly string[];
}>;

/** USD for a million tokens or a thousand of anything else: nothing is sold for more. */
const PRICE_MAX = 1_000_000;
const TOKENS_MAX = 1_000_000_000;
const NAME_LENGTH_MAX = 200;
const PRICE_NAMES = [
  'input_mtok',
  'output_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'web_searches_kcount',
  'requests_kcount',
  'audio_hours',
  'input_audio_hours',
  'input_audio_mtok',
  'output_audio_mtok',
  'output_image_mtok',
] as const;

const price = Type.Number({ minimum: 0, maximum: PRICE_MAX });
const tier = Type.Object({ start: Type.Integer({ minimum: 1, maximum: TOKENS_MAX }), price });
const amount = Type.Union([price, Type.Object({ base: price, tiers: Type.Array(tier, { maxItems: 16 }) })]);
const prices = Type.Partial(
  Type.Object(Object.fromEntries(PRICE_NAMES.map((priceName) => [priceName, amount])), {
    additionalProperties: Type.Unknown(),
  }),
);
const strict = { additionalProperties: false };
const match = Type.Recursive((self) =>
  Type.Union([
    Type.Object({ or: Type.Array(self) }, strict),
    Type.Object({ and: Type.Array(self) }, strict),
    ...['equals', 'starts_with', 'ends_with', 'contains', 'regex'].map((word) =>
      Type.Object({ [word]: Type.String() }, strict),
    ),
  ]),
);
const id = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
const BookModel = Type.Object({
  id,
  match,
  prices: Type.Union([Type.Array(Type.Object({ prices }), { minItems: 1 }), prices]),
});
const StatedVendor = Type.Object({
  id,
  models: Type.Array(Type.Unknown()),
  fallback_model_providers: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String())])),
});

/** Throws for what the library that looks prices up cannot read. */
type TryOut = (vendor: BookVendor) => void;

/** Null when it is no price book at all. */
export function readBook(data: unknown, tryOut: TryOut): ReadBook | null {
  if (!Array.isArray(data)) return null;
  const vendors: BookVendor[] = [];
  const ignored: string[] = [];
  for (const [index, entry] of data.entries()) {
    if (!Value.Check(StatedVendor, entry)) {
      ignored.push(nameOf(entry, index));
      continue;
    }
    const stated = entry as unknown as BookVendor;
    const models = entry.models.filter((item, place): item is ModelInfo => {
      const isRead = isReadable(item, stated, tryOut);
      if (!isRead) ignored.push(`${entry.id}/${nameOf(item, place)}`);
      return isRead;
    });
    // Of a vendor that cannot be read at all the prices at hand are better than none.
    if (models.length > 0 || entry.models.length === 0) vendors.push({ ...stated, models });
  }
  return { vendors, ignored };
}

function isReadable(item: unknown, stated: BookVendor, tryOut: TryOut): boolean {
  if (!Value.Check(BookModel, item) || !compiles(item.match)) return false;
  try {
    const alone = { ...(item as unknown as ModelInfo), match: { contains: '' } };
    tryOut({ ...stated, models: [alone] });
    return true;
  } catch {
    return false;
  }
}

/** The regular expressions of a rule are others' too. */
function compiles(rule: unknown): boolean {
  const { or = [], and = [], regex = '' } = rule as { or?: unknown[]; and?: unknown[]; regex?: string };
  try {
    new RegExp(regex);
  } catch {
    return false;
  }
  return [...or, ...and].every(compiles);
}

function nameOf(entry: unknown, index: number): string {
  const name = (entry as { id?: unknown } | null)?.id;
  return typeof name === 'string' && name !== '' ? name.slice(0, NAME_LENGTH_MAX) : `number ${index + 1}`;
}
