-- Money that a payment provider takes back: what it said of refunds and disputes, and how far an account owes for it.

-- An account may stand below what it can carry only because a payment was taken back after its credit was spent, leased
-- or held. `owed` is that part and is raised by nothing else, so the one constraint goes on making overspending
-- impossible.
ALTER TABLE accounts ADD COLUMN owed_nano_usd bigint NOT NULL DEFAULT 0 CHECK (owed_nano_usd >= 0);

ALTER TABLE accounts
  DROP CONSTRAINT accounts_balance,
  DROP CONSTRAINT accounts_available,
  ADD CONSTRAINT accounts_balance CHECK (balance_nano_usd >= -credit_line_nano_usd - owed_nano_usd),
  ADD CONSTRAINT accounts_available CHECK (
    balance_nano_usd + credit_line_nano_usd + owed_nano_usd - leased_nano_usd - held_nano_usd >= 0
  );

-- reclaim: credit that went back with its payment. restore: credit that came back, as a dispute was won.
ALTER TABLE ledger_entries
  DROP CONSTRAINT ledger_entries_kind_check,
  DROP CONSTRAINT ledger_entries_credit,
  ADD CONSTRAINT ledger_entries_kind_check CHECK (kind IN ('credit', 'charge', 'reclaim', 'restore')),
  ADD CONSTRAINT ledger_entries_credit CHECK ((kind <> 'charge') = (reference IS NOT NULL));

ALTER TABLE top_up_orders
  -- The provider's name of the payment itself: a dispute names nothing else.
  ADD COLUMN payment_id text,
  ADD COLUMN reclaimed_nano_usd bigint NOT NULL DEFAULT 0,
  -- How often credit has moved back or forth; a part of the reference of each move.
  ADD COLUMN correction_count integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT top_up_orders_reclaimed CHECK (reclaimed_nano_usd BETWEEN 0 AND credit_nano_usd);

CREATE UNIQUE INDEX top_up_orders_payment ON top_up_orders (provider, payment_id) WHERE payment_id IS NOT NULL;

-- One row for all refunds of a payment together, and one for each dispute. There is no foreign key to the orders: a
-- refund may be heard of before the payment.
CREATE TABLE payment_reversals (
  provider text NOT NULL,
  payment_id text NOT NULL,
  -- The refunds' charge, or the dispute.
  source_id text NOT NULL,
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
  -- What is final is not undone by older news that arrives later.
  is_final boolean NOT NULL,
  is_applied boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, payment_id, source_id)
);

CREATE INDEX payment_reversals_waiting ON payment_reversals (updated_at) WHERE NOT is_applied;
