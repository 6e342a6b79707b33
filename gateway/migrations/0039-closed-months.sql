-- Months of the journal are closed: what each account moved in them is kept once, and nothing is entered into them any more.

-- One row for each closed month, in their order. The first of them also has all that came before it.
CREATE TABLE ledger_months (
  month date PRIMARY KEY CHECK (extract(day FROM month) = 1),
  closed_at timestamptz NOT NULL DEFAULT now(),
  -- The newest entry when everybody who might still have entered something was gone; null until then.
  closed_entry_id bigint,
  -- Entries are added up in their order. Up to here they are; null before the first.
  summed_entry_id bigint,
  entries bigint NOT NULL DEFAULT 0,
  -- Where the month's entries lie, and where those after it begin: ids are given in about the order of time.
  first_entry_id bigint,
  last_entry_id bigint,
  next_entry_id bigint,
  -- Since when the checkpoints stand.
  sealed_at timestamptz
);

-- For each account that has moved something in the month: the month by itself, and everything up to its end.
CREATE TABLE ledger_checkpoints (
  account_id text NOT NULL,
  month date NOT NULL REFERENCES ledger_months (month),
  entries bigint NOT NULL,
  credited_nano_usd bigint NOT NULL,
  spent_nano_usd bigint NOT NULL,
  -- What lowered the credited sum: reversed payments and corrections.
  taken_nano_usd bigint NOT NULL,
  total_credited_nano_usd bigint NOT NULL,
  total_spent_nano_usd bigint NOT NULL,
  total_taken_nano_usd bigint NOT NULL,
  PRIMARY KEY (account_id, month)
);

-- The same for counters that were still there when the month was added up. A limit without an end counts for years.
CREATE TABLE counter_checkpoints (
  counter_id bigint NOT NULL,
  month date NOT NULL REFERENCES ledger_months (month),
  counted_nano_usd bigint NOT NULL,
  PRIMARY KEY (counter_id, month)
);

CREATE TRIGGER ledger_months_are_kept BEFORE DELETE OR TRUNCATE ON ledger_months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a closed month stays closed');

CREATE FUNCTION refuse_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ledger_months WHERE month IN (NEW.month, OLD.month) AND sealed_at IS NOT NULL) THEN
    RAISE EXCEPTION '% on % is refused: the month is sealed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_checkpoints_are_sealed BEFORE INSERT OR UPDATE OR DELETE ON ledger_checkpoints
  FOR EACH ROW EXECUTE FUNCTION refuse_sealed();
CREATE TRIGGER ledger_checkpoints_are_kept BEFORE TRUNCATE ON ledger_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('checkpoints are sealed');

-- An entry carries the time at which its transaction began. One that has taken until its month is closed is refused; it is
-- written again, in a transaction of now. Nothing else is looked up: the condition is false for every ordinary entry.
CREATE FUNCTION refuse_closed_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.created_at < (SELECT (max(month) + interval '1 month') AT TIME ZONE 'UTC' FROM ledger_months) THEN
    RAISE EXCEPTION 'an entry of % is refused: its month is closed', NEW.created_at USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_entries_closed_month BEFORE INSERT ON ledger_entries
  FOR EACH ROW WHEN (NEW.created_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION refuse_closed_month();
