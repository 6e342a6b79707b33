-- Top-ups that a saved card pays for when a balance runs low, within what its holder allows.

CREATE TABLE automatic_top_ups (
  account_id text PRIMARY KEY REFERENCES accounts (id),
  -- Whose card it is, or will be.
  user_id text NOT NULL REFERENCES users (id),
  provider text NOT NULL,
  is_enabled boolean NOT NULL,
  threshold_nano_usd bigint NOT NULL CHECK (threshold_nano_usd > 0),
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd > 0),
  -- Of credit, in a month of UTC.
  month_max_nano_usd bigint NOT NULL,
  -- The page on which a card is being given: what the provider says of it must name this.
  setup_id text UNIQUE,
  setup_user_id text REFERENCES users (id),
  -- The provider's names of the card and its holder; null without one.
  customer_id text,
  card_id text,
  card_label text,
  -- Null while nothing has failed.
  stopped_at timestamptz,
  stopped_reason text,
  CONSTRAINT automatic_top_ups_within CHECK (month_max_nano_usd >= amount_nano_usd),
  CONSTRAINT automatic_top_ups_card CHECK (
    (customer_id IS NULL) = (card_id IS NULL) AND (customer_id IS NULL) = (card_label IS NULL)
  ),
  CONSTRAINT automatic_top_ups_stopped CHECK (stopped_at IS NULL OR NOT is_enabled)
);

CREATE INDEX automatic_top_ups_enabled ON automatic_top_ups (account_id) WHERE is_enabled;

-- A charge whose outcome is not known is tried again with the order's own key, a few times.
ALTER TABLE top_up_orders
  ADD COLUMN is_automatic boolean NOT NULL DEFAULT false,
  ADD COLUMN tries integer NOT NULL DEFAULT 0,
  ADD COLUMN tried_at timestamptz;

-- One cause, one order: there is no second while the first is not decided.
CREATE UNIQUE INDEX top_up_orders_one_automatic ON top_up_orders (account_id)
  WHERE is_automatic AND state IN ('created', 'paying');

CREATE INDEX top_up_orders_automatic ON top_up_orders (account_id, created_at) WHERE is_automatic;
