-- Operators are people with an account here; the log of the operators' actions says which of them acted.

CREATE TABLE operators (
  user_id text PRIMARY KEY REFERENCES users (id),
  role text NOT NULL CHECK (role IN ('owner', 'support', 'read_only')),
  -- Null: with the operator token.
  appointed_by text REFERENCES users (id),
  created_at timestamptz NOT NULL
);

-- Null: the operator token.
ALTER TABLE operator_audit_log ADD COLUMN operator_user_id text;
