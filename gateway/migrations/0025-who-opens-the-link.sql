-- A password is set by whoever opens the mailed link, links stay good beside each other, and what the operator does is on record.

-- What was typed beside an address that is not proven yet is worth nothing.
ALTER TABLE sign_ups DROP COLUMN password_hash;

-- Somebody else's request must not make the link useless that its owner is about to open.
ALTER TABLE password_resets DROP CONSTRAINT password_resets_pkey, DROP CONSTRAINT password_resets_one_hash;
ALTER TABLE password_resets ADD PRIMARY KEY (hash);
CREATE INDEX password_resets_user ON password_resets (user_id);

CREATE TABLE operator_audit_log (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  method text NOT NULL,
  -- As the route's table spells it, and what stood in its places.
  route text NOT NULL,
  params jsonb NOT NULL DEFAULT '{}',
  request_id text NOT NULL,
  ip text,
  created_at timestamptz NOT NULL
);

CREATE INDEX operator_audit_log_time ON operator_audit_log (created_at);

CREATE TRIGGER operator_audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');

-- What a person has used today of free quotas in one account.
CREATE INDEX generations_free ON generations (account_id, user_id, created_at) WHERE free_units > 0;
