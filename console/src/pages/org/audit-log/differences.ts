// What an entry of the log says was before and after, field by field, in words.

type Values = Readonly<Record<string, unknown>> | null;

export type Difference = Readonly<{
  field: string;
  /** Null where there was nothing before, or is nothing after. */
  before: string | null;
  after: string | null;
}>;

/** Fields that are equal on both sides are left out. */
export function differences(before: Values, after: Values): readonly Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]))
    .map((field) => ({
      field: fieldName(field),
      before: before === null || before[field] === undefined ? null : valueText(before[field]),
      after: after === null || after[field] === undefined ? null : valueText(after[field]),
    }))
    .filter((difference) => !isNothing(difference.before) || !isNothing(difference.after));
}

/** A field that was created empty counts as not set. */
const isNothing = (text: string | null): boolean => text === null || text === NONE;

const NONE = 'none';

const NAMES: Readonly<Record<string, string>> = {
  cbEnabled: 'watching',
  cbMinuteUsd: 'at most in a minute, USD',
  cbHourlyUsd: 'at most in an hour, USD',
  allowedCidrs: 'allowed addresses',
};

/** `monthlyBudget` becomes `monthly budget`, `teamId` `team`, and `maxUsd` `max USD`. */
function fieldName(field: string): string {
  const known = NAMES[field];
  if (known !== undefined) return known;
  return field
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ ids?$/, '')
    .replace(/\busd\b/, 'USD');
}

export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return NONE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value))
    return value.length === 0
      ? NONE
      : value.map(valueText).join(value.some((part) => typeof part === 'object') ? '; ' : ', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${fieldName(name)}: ${valueText(part)}`)
      .join(', ');
  }
  return String(value);
}
