// The interface of a payment provider. Each provider is one file in providers/: it opens a page on which an order is
// paid, and reads the notifications that say how that went. The checks that protect money are outside.

import type { OrderPrice } from './price-order.ts';

export type CheckoutRequest = Readonly<{
  orderId: string;
  price: OrderPrice;
  /** Where the payer returns to, whether or not they paid. */
  returnUrl: string;
}>;

export type Checkout = Readonly<{
  /** The provider's own id of the session, which notifications carry. */
  sessionId: string;
  url: string;
}>;

export type Notification = Readonly<{
  /** As received, because a signature covers the bytes. */
  body: Buffer;
  header(name: string): string | undefined;
}>;

/** `paid`: the money has arrived. `ended`: the page can no longer be paid. `pending`: nothing is decided yet. */
export type SessionEventKind = 'paid' | 'ended' | 'failed' | 'pending';

export type SessionEvent = Readonly<{
  eventId: string;
  kind: SessionEventKind;
  orderId: string;
  sessionId: string;
  /** The provider's id of the payment itself; null where there is none yet. */
  paymentId: string | null;
  currency: string;
  /** Null for a value that is not an amount. */
  totalMinor: bigint | null;
}>;

/** Money that went back by a refund or a dispute, or that came back because the dispute was won. */
export type ReversalEvent = Readonly<{
  eventId: string;
  kind: 'reversal';
  /** Null where this kind of notification knows the payment only. */
  orderId: string | null;
  paymentId: string | null;
  /** All refunds of a payment are one source; each dispute is a source of its own. */
  sourceId: string;
  currency: string;
  /** How much of the payment this source has taken back in total; null for a value that is not an amount. */
  amountMinor: bigint | null;
  /** Earlier statements that arrive later no longer count. */
  isFinal: boolean;
}>;

/** A refund that the bank returned: the operator must decide what to do with the money. */
type FailedRefundEvent = Readonly<{ eventId: string; kind: 'refund_failed'; paymentId: string | null }>;

/** A card was entered on the page that was opened for it. */
export type CardEvent = Readonly<{ eventId: string; kind: 'card'; setupId: string; reference: string }>;

export type PaymentEvent = SessionEvent | ReversalEvent | FailedRefundEvent | CardEvent;

/** The provider's ids; the label is for people, such as `visa 4242`. */
export type SavedCard = Readonly<{ customerId: string; cardId: string; label: string }>;

export type CardCharge = Readonly<{
  orderId: string;
  price: OrderPrice;
  card: Pick<SavedCard, 'customerId' | 'cardId'>;
}>;

/** `declined`: no money has moved and none will, for a reason that the holder may read. */
export type CardOutcome = SessionEvent | Readonly<{ kind: 'declined'; reason: string }>;

/** Keeps cards that are charged without their holder being present. */
export type CardKeeper = Readonly<{
  /** Opens a page on which a card is entered. */
  openPage(request: Readonly<{ setupId: string; returnUrl: string }>): Promise<Checkout>;
  /** Reads the card that an event has told of. */
  read(reference: string): Promise<SavedCard>;
  /** Repeating it for the same order charges once. Rejects where the outcome is not known. */
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
  /**
   * Answers what has gone back in total, like the notification that will follow. Rejects with `RefusedRefundError` when
   * nothing was refunded, and otherwise where the outcome is not known.
   */
  refund(request: RefundRequest): Promise<ReversalEvent>;
  /** Repeating it for the same order opens no second page. Rejects when the provider refuses or is away. */
  openCheckout(request: CheckoutRequest): Promise<Checkout>;
  /** How it stands with a page that was opened. Null where it is not about an order of ours. */
  readCheckout(sessionId: string): Promise<SessionEvent | null>;
  /** Null for a provider that keeps no cards. */
  cards: CardKeeper | null;
  /**
   * Null for authentic notifications that are not about an order of ours. Throws `ForgedNotificationError` for all
   * others.
   */
  readNotification(notification: Notification): PaymentEvent | null;
}>;

/** The notification is not from the provider, or was changed. */
export class ForgedNotificationError extends Error {
  override readonly name = 'ForgedNotificationError';
}

/** The provider did not refund, and will not under the same key. */
export class RefusedRefundError extends Error {
  override readonly name = 'RefusedRefundError';
}
