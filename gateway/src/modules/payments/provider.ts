// What a payment provider must be able to do. One provider is one file in providers/: it opens a page on which an order
// is paid, and it reads the notifications that say how that went. Everything that protects money happens around it.

import type { OrderPrice } from './price-order.ts';

export type CheckoutRequest = Readonly<{
  orderId: string;
  price: OrderPrice;
  /** Where the payer comes back to, paid or not. */
  returnUrl: string;
}>;

export type Checkout = Readonly<{
  /** The provider's own name for it; notifications carry it. */
  sessionId: string;
  url: string;
}>;

export type Notification = Readonly<{
  /** As received: a signature is over bytes. */
  body: Buffer;
  header(name: string): string | undefined;
}>;

/**
 * `paid`: the money is there. `ended`: the page can no longer be paid. `reversed`: money went back, by a refund or a
 * dispute. `pending`: nothing is decided yet.
 */
export type PaymentEventKind = 'paid' | 'ended' | 'reversed' | 'pending';

export type PaymentEvent = Readonly<{
  eventId: string;
  kind: PaymentEventKind;
  orderId: string;
  /** Null where this kind of notification does not say. */
  sessionId: string | null;
  currency: string;
  /** Null for what is no amount. */
  totalMinor: bigint | null;
}>;

export type PaymentProvider = Readonly<{
  name: string;
  /** Repeating it for the same order opens no second page. Rejects when the provider refuses or is away. */
  openCheckout(request: CheckoutRequest): Promise<Checkout>;
  /** Null for authentic news that is not about an order of ours. Throws `ForgedNotificationError` for all else. */
  readNotification(notification: Notification): PaymentEvent | null;
}>;

/** Not from the provider, or not as it was sent. */
export class ForgedNotificationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ForgedNotificationError';
  }
}
