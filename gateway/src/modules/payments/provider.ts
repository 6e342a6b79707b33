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

/** `paid`: the money is there. `ended`: the page can no longer be paid. `pending`: nothing is decided yet. */
export type SessionEventKind = 'paid' | 'ended' | 'failed' | 'pending';

export type SessionEvent = Readonly<{
  eventId: string;
  kind: SessionEventKind;
  orderId: string;
  sessionId: string;
  /** The provider's name of the payment itself; null where there is none yet. */
  paymentId: string | null;
  currency: string;
  /** Null for what is no amount. */
  totalMinor: bigint | null;
}>;

/** Money that went back, by refunds or a dispute, or that came back because the dispute was won. */
export type ReversalEvent = Readonly<{
  eventId: string;
  kind: 'reversal';
  /** Null where this kind of notification knows the payment only. */
  orderId: string | null;
  paymentId: string | null;
  /** All refunds of a payment are one source, each dispute is one. */
  sourceId: string;
  currency: string;
  /** How much of the payment this source has taken back by now; null for what is no amount. */
  amountMinor: bigint | null;
  /** Nothing that was said before it, and arrives later, counts any more. */
  isFinal: boolean;
}>;

/** A refund that the bank sent back: the operator has to decide what becomes of the money. */
type FailedRefundEvent = Readonly<{ eventId: string; kind: 'refund_failed'; paymentId: string | null }>;

/** Somebody has given a card on the page that was opened for it. */
export type CardEvent = Readonly<{ eventId: string; kind: 'card'; setupId: string; reference: string }>;

export type PaymentEvent = SessionEvent | ReversalEvent | FailedRefundEvent | CardEvent;

/** The provider's names; the label is for people, such as `visa 4242`. */
export type SavedCard = Readonly<{ customerId: string; cardId: string; label: string }>;

export type CardCharge = Readonly<{
  orderId: string;
  price: OrderPrice;
  card: Pick<SavedCard, 'customerId' | 'cardId'>;
}>;

/** `declined`: no money has moved and none will, for a reason that its holder can read. */
export type CardOutcome = SessionEvent | Readonly<{ kind: 'declined'; reason: string }>;

/** Cards that are charged while nobody is there. */
export type CardKeeper = Readonly<{
  /** A page on which a card is given. */
  openPage(request: Readonly<{ setupId: string; returnUrl: string }>): Promise<Checkout>;
  /** What an event has told of. */
  read(reference: string): Promise<SavedCard>;
  /** Repeating it for the same order charges once. Rejects where nobody knows what became of it. */
  charge(charge: CardCharge): Promise<CardOutcome>;
  forget(cardId: string): Promise<void>;
}>;

export type RefundRequest = Readonly<{
  paymentId: string;
  currency: string;
  amountMinor: bigint;
  reason: string;
  /** Repeating it with the same key refunds once. */
  idempotencyKey: string;
}>;

export type PaymentProvider = Readonly<{
  name: string;
  /** Says what has gone back by now, as the notification does that will follow. Rejects when it did not go through. */
  refund(request: RefundRequest): Promise<ReversalEvent>;
  /** Repeating it for the same order opens no second page. Rejects when the provider refuses or is away. */
  openCheckout(request: CheckoutRequest): Promise<Checkout>;
  /** Null for a provider that keeps no cards. */
  cards: CardKeeper | null;
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
