-- Notices: where people, organizations and the operator want to be told what happens, what they were told, and how it went.

CREATE TABLE notice_addresses (
  id text PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'org', 'operator')),
  -- Empty for the operator.
  owner_id text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('mail', 'webhook', 'slack')),
  -- Sealed for its row: whoever knows the address of a chat may write to it.
  target text,
  -- Mails of people and organizations go to a user, at the address that user has by then.
  recipient_id text REFERENCES users (id),
  -- What of it may be shown: a mail address, or a host.
  shown text NOT NULL,
  -- What a webhook's calls are signed with, sealed.
  secret text,
  kinds text[] NOT NULL,
  low_balance_nano_usd bigint CHECK (low_balance_nano_usd >= 0),
  is_enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  CONSTRAINT notice_addresses_secret CHECK ((channel = 'webhook') = (secret IS NOT NULL)),
  CONSTRAINT notice_addresses_target CHECK ((target IS NULL) = (recipient_id IS NOT NULL))
);

CREATE INDEX notice_addresses_owner ON notice_addresses (owner_kind, owner_id);

CREATE TABLE notices (
  id text PRIMARY KEY,
  owner_kind text NOT NULL,
  owner_id text NOT NULL,
  kind text NOT NULL,
  -- Names what happened: of one cause there is one notice, however often and by whomever it is seen.
  cause text NOT NULL,
  facts jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT notices_once UNIQUE (owner_kind, owner_id, kind, cause)
);

CREATE INDEX notices_newest ON notices (owner_kind, owner_id, created_at DESC);
CREATE INDEX notices_age ON notices (created_at);

CREATE TABLE notice_deliveries (
  notice_id text NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
  address_id text NOT NULL REFERENCES notice_addresses (id) ON DELETE CASCADE,
  host text NOT NULL,
  -- held_back: the address had been told too much that day.
  state text NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up', 'held_back')),
  attempts smallint NOT NULL DEFAULT 0,
  failure text,
  created_at timestamptz NOT NULL,
  next_attempt_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (notice_id, address_id)
);

CREATE INDEX notice_deliveries_due ON notice_deliveries (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_address ON notice_deliveries (address_id, created_at);

-- Which process looks for causes, so that many do not look at once.
CREATE TABLE notice_rounds (
  name text PRIMARY KEY,
  looked_at timestamptz NOT NULL
);

-- Finds how much of a budget is used.
CREATE INDEX spend_counters_subject ON spend_counters (scope_id, scope);
-- Finds payments that failed.
CREATE INDEX payment_events_failed ON payment_events (created_at) WHERE kind = 'failed' OR outcome <> 'accepted';
