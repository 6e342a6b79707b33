// Why the prices of a call differ from the ordinary ones, in words.

export type PriceTerms = Readonly<{
  tierAbovePromptTokens: number | null;
  completionMultiplier: number;
  extras: readonly string[];
}>;

type Rated = Readonly<{ what: string; perMillionUsd: string | null; unitUsd: string | null }>;

/** Units that come by the thousand are priced by the million, as price lists do. */
export function rateText({ what, perMillionUsd, unitUsd }: Rated): string {
  if (perMillionUsd === null || unitUsd === null) return '–';
  return /token|character/.test(what) ? `${exactUsd(perMillionUsd)} per million` : `${exactUsd(unitUsd)} each`;
}

/** `service_tier=priority`, as a request spells it. */
export function extraText(name: string): string {
  const [field = name, value] = name.split('=');
  const words = field.replaceAll('_', ' ');
  return value === undefined ? `Prices with ${words}.` : `Prices with ${words} “${value}”.`;
}

/** Exact text as money: all its digits, and cents in any case. */
export function exactUsd(text: string): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  return `${sign}$${whole}.${decimals.padEnd(2, '0')}`;
}
