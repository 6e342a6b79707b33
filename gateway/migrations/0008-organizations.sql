-- Organizations: who belongs to one, and what one that is billed monthly owes and has paid.

-- Whether it is billed monthly, and its credit line, are figures of its account, which has the same id.
CREATE TABLE organizations (
  id text PRIMARY KEY CHECK (id LIKE 'org-%') REFERENCES accounts (id),
  name text NOT NULL,
  is_suspended boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE teams (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  description text,
  cost_center_code text,
  permission_scope text[] NOT NULL DEFAULT '{}',
  monthly_budget_nano_usd bigint CHECK (monthly_budget_nano_usd >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT teams_one_name UNIQUE (org_id, name),
  CONSTRAINT teams_of_org UNIQUE (org_id, id)
);

CREATE TABLE org_members (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  user_id text NOT NULL REFERENCES users (id),
  role text NOT NULL DEFAULT 'member' CHECK (role IN ('org_admin', 'billing_viewer', 'team_admin', 'member')),
  team_id text,
  monthly_budget_nano_usd bigint CHECK (monthly_budget_nano_usd >= 0),
  joined_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT org_members_once UNIQUE (org_id, user_id),
  -- Names the organization too, so that a team of another one cannot be joined.
  CONSTRAINT org_members_team FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id) ON DELETE SET NULL (team_id),
  CONSTRAINT org_members_team_admin CHECK (role <> 'team_admin' OR team_id IS NOT NULL)
);

CREATE INDEX org_members_user ON org_members (user_id);
CREATE INDEX org_members_team_members ON org_members (team_id) WHERE team_id IS NOT NULL;

-- What a month's statement is made from. Partial, so that the charges of everybody else do not pay for it.
CREATE INDEX ledger_entries_org_charges ON ledger_entries (debit_account_id, created_at)
  WHERE kind = 'charge' AND debit_account_id LIKE 'org-%';

-- A month that is over, as it was billed. Kept whole, because the records of calls are not kept for ever.
CREATE TABLE statements (
  org_id text NOT NULL REFERENCES organizations (id),
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  total_nano_usd bigint NOT NULL CHECK (total_nano_usd >= 0),
  -- [{model, requests, amount}], the amount in nano-USD as decimal text.
  lines jsonb NOT NULL,
  issued_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (org_id, month)
);

CREATE TRIGGER statements_stand BEFORE UPDATE OR DELETE OR TRUNCATE ON statements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('an issued statement stands');

-- Money that the operator has received for a month. The row comes first, the ledger's credit has its id as reference,
-- and only then it counts as credited: so a crash in between is finished later, and nothing is credited twice.
CREATE TABLE statement_payments (
  id text PRIMARY KEY,
  org_id text NOT NULL REFERENCES organizations (id),
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  amount_nano_usd bigint NOT NULL CHECK (amount_nano_usd >= 0),
  reference text NOT NULL,
  note text NOT NULL,
  -- The payment that closes the statement. Before the month is over, payments on account are possible as well.
  is_final boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  credited_at timestamptz,
  CONSTRAINT statement_payments_once UNIQUE (org_id, month, reference)
);

CREATE UNIQUE INDEX statement_payments_one_final ON statement_payments (org_id, month) WHERE is_final;
CREATE INDEX statement_payments_uncredited ON statement_payments (created_at) WHERE credited_at IS NULL;

CREATE TRIGGER statement_payments_are_kept BEFORE DELETE OR TRUNCATE ON statement_payments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a payment stays on record');

CREATE TRIGGER statement_payments_credit_once BEFORE UPDATE ON statement_payments
  FOR EACH ROW WHEN (
    OLD.credited_at IS NOT NULL
    OR (OLD.id, OLD.org_id, OLD.month, OLD.amount_nano_usd, OLD.reference, OLD.is_final)
       IS DISTINCT FROM (NEW.id, NEW.org_id, NEW.month, NEW.amount_nano_usd, NEW.reference, NEW.is_final)
  ) EXECUTE FUNCTION refuse_change('a payment is credited once, as it was recorded');
