// What made the prices of a call other than the ordinary ones, in words.

export type PriceTerms = Readonly<{
  tierAbovePromptTokens: number | null;
  completionMultiplier: number;
  extras: readonly string[];
}>;

type Rated = Readonly<{ what: string; perMillionUsd: string | null; unitUsd: string | null }>;

/** What comes by the thousand is priced by the million, as price lists are. */
export function rateText({ what, perMillionUsd, unitUsd }: Rated): string {
  if (perMillionUsd === null || unitUsd === null) return '–';
  return /token|character/.test(what) ? `$${perMillionUsd} per million` : `$${unitUsd} each`;
}

/** `service_tier=priority`, as a request spells it. */
export function extraText(name: string): string {
  const [field = name, value] = name.split('=');
  const words = field.replaceAll('_', ' ');
  return value === undefined ? `Prices with ${words}.` : `Prices with ${words} “${value}”.`;
}
