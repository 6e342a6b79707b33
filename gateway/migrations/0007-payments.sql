-- Top-ups: what a customer asked to pay, which provider takes the money, and every word of that provider about it.

-- An order's figures never change after it was made, because a payment is checked against them.
CREATE TABLE top_up_orders (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  user_id text NOT NULL REFERENCES users (id),
  provider text NOT NULL,
  -- The currency that is charged; every one but USD is local and carries value-added tax.
  currency text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
  -- Billionths of the currency's unit for one USD.
  rate_nano bigint NOT NULL CHECK (rate_nano > 0),
  credit_nano_usd bigint NOT NULL CHECK (credit_nano_usd > 0),
  fee_nano_usd bigint NOT NULL CHECK (fee_nano_usd >= 0),
  vat_nano_usd bigint NOT NULL CHECK (vat_nano_usd >= 0),
  -- The sum of the three in whole cents.
  total_nano_usd bigint NOT NULL CHECK (total_nano_usd % 10000000 = 0),
  -- What the provider must report: the total in the smallest unit of the currency.
  total_minor bigint NOT NULL CHECK (total_minor > 0),
  -- paying: the money has arrived and the credit is being given; it ends as paid, whatever happens to this process.
  state text NOT NULL DEFAULT 'created' CHECK (state IN ('created', 'expired', 'paying', 'paid')),
  session_id text,
  checkout_url text,
  created_at timestamptz NOT NULL DEFAULT now(),
  paid_at timestamptz,
  CONSTRAINT top_up_orders_sum CHECK (
    abs(total_nano_usd - credit_nano_usd - fee_nano_usd - vat_nano_usd) <= 5000000
  ),
  CONSTRAINT top_up_orders_paid CHECK ((state IN ('paying', 'paid')) = (paid_at IS NOT NULL)),
  CONSTRAINT top_up_orders_one_session UNIQUE (provider, session_id)
);

CREATE INDEX top_up_orders_owner ON top_up_orders (account_id, user_id, created_at, id);
CREATE INDEX top_up_orders_time ON top_up_orders (created_at, id);
CREATE INDEX top_up_orders_unfinished ON top_up_orders (created_at) WHERE state IN ('created', 'paying');

-- Expired orders may still be paid: when the provider says that money has arrived, it has.
CREATE TRIGGER top_up_orders_move_once BEFORE UPDATE ON top_up_orders
  FOR EACH ROW WHEN (
    OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (
      ('created', 'expired'), ('created', 'paying'), ('expired', 'paying'), ('paying', 'paid')
    )
  ) EXECUTE FUNCTION refuse_change('an order is paid once');

CREATE TRIGGER top_up_orders_keep_figures BEFORE UPDATE ON top_up_orders
  FOR EACH ROW WHEN (
    (OLD.id, OLD.account_id, OLD.user_id, OLD.provider, OLD.currency, OLD.rate_nano, OLD.credit_nano_usd,
     OLD.fee_nano_usd, OLD.vat_nano_usd, OLD.total_nano_usd, OLD.total_minor)
    IS DISTINCT FROM
    (NEW.id, NEW.account_id, NEW.user_id, NEW.provider, NEW.currency, NEW.rate_nano, NEW.credit_nano_usd,
     NEW.fee_nano_usd, NEW.vat_nano_usd, NEW.total_nano_usd, NEW.total_minor)
    OR (OLD.session_id IS NOT NULL AND OLD.session_id IS DISTINCT FROM NEW.session_id)
    OR (OLD.paid_at IS NOT NULL AND OLD.paid_at IS DISTINCT FROM NEW.paid_at)
  ) EXECUTE FUNCTION refuse_change('the figures of an order are settled when it is made');

CREATE TRIGGER top_up_orders_are_kept BEFORE DELETE OR TRUNCATE ON top_up_orders
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('orders are receipts');

-- Authentic notifications, each once. There is no foreign key to the orders: one about an unknown order is kept too.
CREATE TABLE payment_events (
  provider text NOT NULL,
  event_id text NOT NULL,
  order_id text NOT NULL,
  kind text NOT NULL,
  -- accepted, or why it changed nothing.
  outcome text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, event_id)
);

CREATE INDEX payment_events_order ON payment_events (order_id);
