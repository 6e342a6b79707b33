// How finely each currency can be charged. Amounts of a currency are integers of its smallest unit, which is not a
// hundredth for all of them: a yen has no parts, a dinar has a thousand.

const WITHOUT_PARTS: ReadonlySet<string> = new Set(
  'bif clp djf gnf isk jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '),
);
const WITH_THOUSANDTHS: ReadonlySet<string> = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

/** Decimals of the currency's unit. */
export function minorDigits(currency: string): number {
  if (WITHOUT_PARTS.has(currency)) return 0;
  return WITH_THOUSANDTHS.has(currency) ? 3 : 2;
}

/** A charge is a multiple of this many smallest units: card networks know no thousandths. */
export const chargeStep = (currency: string): bigint => (WITH_THOUSANDTHS.has(currency) ? 10n : 1n);
