// What Stripe's objects have in common with ours: the order's id in their metadata, and amounts, which Stripe counts in
// the smallest unit of most currencies.

import { isJsonObject } from '../../../canonical/json.ts';
import type { OrderPrice } from '../price-order.ts';

export const ORDER_ID_FIELD = 'tollgate_order_id';

/** Stripe counts these in hundredths although they have none. */
const COUNTED_IN_HUNDREDTHS: ReadonlySet<string> = new Set(['isk', 'ugx']);

export function toStripeAmount({ currency, totalMinor }: Pick<OrderPrice, 'currency' | 'totalMinor'>): number {
  return Number(COUNTED_IN_HUNDREDTHS.has(currency) ? totalMinor * 100n : totalMinor);
}

/** Null for a value that cannot be an amount of ours; it matches no order. */
export function fromStripeAmount(amount: unknown, currency: string): bigint | null {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return null;
  if (!COUNTED_IN_HUNDREDTHS.has(currency)) return BigInt(amount);
  return amount % 100 === 0 ? BigInt(amount / 100) : null;
}

/** Objects are given by their id, or in full where the account is set up so. */
export function idOf(value: unknown): string | null {
  const id = isJsonObject(value) ? value.id : value;
  return typeof id === 'string' && id !== '' ? id : null;
}

export const orderIdIn = (metadata: unknown): string | null => textIn(metadata, ORDER_ID_FIELD);

export function textIn(metadata: unknown, field: string): string | null {
  const value = isJsonObject(metadata) ? metadata[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}
