-- An account's entries are found by account and time, for its statement; operators adjust balances and refund calls.

-- The amount is in the index because a balance of a past day is today's less all that came since.
CREATE INDEX ledger_entries_debits ON ledger_entries (debit_account_id, created_at, id) INCLUDE (amount_nano_usd);
-- All charges go to one account, so this index has everything else.
CREATE INDEX ledger_entries_credits ON ledger_entries (credit_account_id, created_at, id) INCLUDE (amount_nano_usd)
  WHERE kind <> 'charge';
-- What was taken back, which is little among many charges.
CREATE INDEX ledger_entries_taken ON ledger_entries (debit_account_id, created_at) WHERE kind <> 'charge';
-- The first of these finds the same rows.
DROP INDEX ledger_entries_org_charges;

-- adjustment: the operator's correction, in either direction. refund: the charge of one call, given back.
-- The rules that these replace are stricter, so the rows that are there need not be read again.
ALTER TABLE ledger_entries
  DROP CONSTRAINT ledger_entries_kind_check,
  DROP CONSTRAINT ledger_entries_charge,
  ADD CONSTRAINT ledger_entries_kind_check
    CHECK (kind IN ('credit', 'charge', 'reclaim', 'restore', 'adjustment', 'refund')) NOT VALID,
  ADD CONSTRAINT ledger_entries_charge
    CHECK ((kind IN ('charge', 'refund')) = (generation_id IS NOT NULL)) NOT VALID;
