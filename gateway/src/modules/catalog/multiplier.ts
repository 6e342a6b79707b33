// A multiple of a price, as the config document writes it, exactly.

/** The schema lets at most six decimals through. */
export function multiplierMillionths(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}
