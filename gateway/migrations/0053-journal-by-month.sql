-- The journal by months: a charge lies in the partition of the month in which its call began, everything else in ledger_entries, which stays what it is for the build before this one.

-- Which partition an entry belongs to: the beginning of the call's id, which is its time. All that is no charge, and
-- calls from before ids carried a time, have the empty text. The same call has the same place for ever, so the unique
-- index of one partition keeps it from being charged twice.
CREATE FUNCTION journal_place(kind text, generation_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN kind = 'charge' AND length(generation_id) = 40 THEN left(generation_id, 16) ELSE '' END
$$;

-- The first place of a month.
CREATE FUNCTION journal_place_of(in_month date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT 'gen-' || lpad(to_hex((extract(epoch FROM date_trunc('month', in_month::timestamp)) * 1000)::bigint), 12, '0')
$$;

-- In the order in which a settlement takes them: calls are settled meanwhile.
LOCK TABLE processes, ledger_entries IN ACCESS EXCLUSIVE MODE;

-- One sequence for all partitions, which goes on where the identity of the one table ends.
CREATE SEQUENCE journal_entry_id;
SELECT setval('journal_entry_id', last_value, is_called) FROM ledger_entries_id_seq;
ALTER TABLE ledger_entries ALTER id DROP IDENTITY, ALTER id SET DEFAULT nextval('journal_entry_id');

-- Indexes are each partition's own: none of them could be unique here without having the place in it. The one table takes
-- everything until months begin, which needs no look at its rows.
CREATE TABLE journal_entries (LIKE ledger_entries INCLUDING DEFAULTS)
  PARTITION BY RANGE (journal_place(kind, generation_id) COLLATE "C");
ALTER TABLE journal_entries ATTACH PARTITION ledger_entries DEFAULT;
ALTER SEQUENCE journal_entry_id OWNED BY journal_entries.id;
CREATE TRIGGER journal_entries_append_only BEFORE UPDATE OR TRUNCATE ON journal_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');

-- The charge of a call, found in the one partition that can have it.
CREATE FUNCTION charge_of(call_id text) RETURNS SETOF journal_entries LANGUAGE sql STABLE AS $$
  SELECT e.* FROM journal_entries e
  WHERE e.kind = 'charge' AND e.generation_id = call_id
    AND journal_place(e.kind, e.generation_id) COLLATE "C" = journal_place('charge', call_id)
$$;

-- A process of an older build enters charges into ledger_entries, whatever their month. Months begin when none is left.
ALTER TABLE processes ADD COLUMN knows_months boolean NOT NULL DEFAULT false;

-- The first month that has a partition of its own; no row until that is decided.
CREATE TABLE journal_began (first_month date NOT NULL CHECK (extract(day FROM first_month) = 1));
CREATE UNIQUE INDEX journal_began_once ON journal_began ((true));

-- An empty table for charges. Each of them is found by its call, by its account, or by its number; that nothing but
-- charges is here spares it whoever looks for something else.
CREATE FUNCTION make_journal_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (
    LIKE ledger_entries INCLUDING DEFAULTS,
    PRIMARY KEY (id),
    CONSTRAINT journal_form CHECK (
      kind = ''charge'' AND generation_id IS NOT NULL AND reference IS NULL AND amount_nano_usd >= 0
      AND debit_account_id <> credit_account_id
    ))', name);
  EXECUTE format('CREATE UNIQUE INDEX %I ON %I (generation_id)', name || '_one_charge', name);
  EXECUTE format('CREATE INDEX %I ON %I (debit_account_id, created_at, id) INCLUDE (amount_nano_usd)', name || '_debits', name);
END
$$;

-- The rules of ledger_entries.
CREATE FUNCTION guard_journal_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER journal_append_only BEFORE UPDATE OR TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change(''entries are only ever added'')', name);
  EXECUTE format('CREATE TRIGGER journal_kept BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_unarchived()', name);
  EXECUTE format('CREATE TRIGGER journal_late BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION refuse_late_entry()', name);
END
$$;

-- Has ledger_entries end where this month begins. It is called until it says that nothing is left to do, each time in a
-- transaction of its own, because looking through a large table must not keep anybody from entering something: first what
-- is to come is bound, then what is there is looked through, then the partitions are exchanged in a moment. Builds that do
-- not know of months do not start from then on.
CREATE FUNCTION begin_journal_months(from_month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  chosen date;
  is_looked_through boolean;
BEGIN
  IF to_regclass('journal_entries_default') IS NOT NULL THEN RETURN true; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('journal months', 0)) THEN RETURN true; END IF;
  SELECT first_month INTO chosen FROM journal_began;
  IF chosen IS NULL THEN
    EXECUTE format('ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_before_months CHECK (
      journal_place(kind, generation_id) IS NOT NULL AND journal_place(kind, generation_id) COLLATE "C" < %L) NOT VALID',
      journal_place_of(from_month));
    INSERT INTO journal_began VALUES (date_trunc('month', from_month::timestamp)::date);
    UPDATE schema_migrations SET needs = number WHERE name LIKE '%-journal-by-month.sql';
    RETURN false;
  END IF;
  -- What could not be ended in time is begun anew, for a later month.
  IF chosen < from_month AND now() > chosen - interval '1 day' THEN
    ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_before_months;
    DELETE FROM journal_began;
    RETURN false;
  END IF;
  SELECT convalidated INTO is_looked_through FROM pg_constraint
  WHERE conrelid = 'ledger_entries'::regclass AND conname = 'ledger_entries_before_months';
  IF NOT is_looked_through THEN
    ALTER TABLE ledger_entries VALIDATE CONSTRAINT ledger_entries_before_months;
    RETURN false;
  END IF;
  ALTER TABLE journal_entries DETACH PARTITION ledger_entries;
  EXECUTE format('ALTER TABLE journal_entries ATTACH PARTITION ledger_entries FOR VALUES FROM (MINVALUE) TO (%L)',
    journal_place_of(chosen));
  -- Takes what no month takes: a month that was not made in time must never fail a settlement.
  PERFORM make_journal_table('journal_entries_default');
  PERFORM guard_journal_table('journal_entries_default');
  ALTER TABLE journal_entries ATTACH PARTITION journal_entries_default DEFAULT;
  RETURN true;
END
$$;

-- Makes the partition of the month that a day lies in; false when there is one, or months have not begun. Whatever of the
-- month lies in the default partition goes with it, unless there is so much that everybody would have to wait for it.
CREATE FUNCTION ensure_journal_month(in_month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  first_day date := date_trunc('month', in_month::timestamp)::date;
  starts text := journal_place_of(first_day);
  ends text := journal_place_of((first_day + interval '1 month')::date);
  name text := 'journal_entries_' || to_char(first_day, 'YYYY_MM');
  late integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('journal months', 0));
  IF to_regclass(name) IS NOT NULL OR to_regclass('journal_entries_default') IS NULL
    OR first_day < (SELECT first_month FROM journal_began) THEN RETURN false; END IF;
  LOCK TABLE journal_entries_default IN ACCESS EXCLUSIVE MODE;
  SELECT count(*) INTO late FROM (SELECT FROM journal_entries_default LIMIT 20001) found;
  IF late > 20000 THEN
    RAISE WARNING 'the month % is not made: the default partition of the journal has too much to look through', first_day;
    RETURN false;
  END IF;
  PERFORM make_journal_table(name);
  IF late > 0 THEN
    ALTER TABLE journal_entries_default DISABLE TRIGGER USER;
    EXECUTE format(
      'WITH moved AS (
         DELETE FROM journal_entries_default
         WHERE journal_place(kind, generation_id) COLLATE "C" >= %L AND journal_place(kind, generation_id) COLLATE "C" < %L
         RETURNING *
       )
       INSERT INTO %I SELECT * FROM moved', starts, ends, name);
    ALTER TABLE journal_entries_default ENABLE TRIGGER USER;
  END IF;
  PERFORM guard_journal_table(name);
  -- Attached rather than made in place: that would lock out every settlement meanwhile.
  EXECUTE format('ALTER TABLE journal_entries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
  RETURN true;
END
$$;

-- Drops the charges of the calls of an archived month all at once; null when it has no partition. What was entered after
-- the month's end, for calls that ended then, is not archived with it and moves to the default partition.
CREATE FUNCTION drop_journal_month(in_month date) RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  first_day date := date_trunc('month', in_month::timestamp)::date;
  name text := 'journal_entries_' || to_char(first_day, 'YYYY_MM');
  until timestamptz := archived_until();
  next_id bigint := (SELECT coalesce(next_entry_id, 0) FROM ledger_months WHERE month = first_day);
  dropped bigint;
  moved bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('journal months', 0));
  IF to_regclass(name) IS NULL THEN RETURN NULL; END IF;
  IF until < (first_day + interval '1 month') AT TIME ZONE 'UTC' THEN
    RAISE EXCEPTION 'the month % of the journal is not archived', first_day USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('SELECT count(*) FROM %I', name) INTO dropped;
  EXECUTE format('ALTER TABLE journal_entries DETACH PARTITION %I', name);
  ALTER TABLE journal_entries_default DISABLE TRIGGER USER;
  EXECUTE format('INSERT INTO journal_entries_default SELECT * FROM %I WHERE id >= $1 AND created_at >= $2', name)
    USING next_id, until;
  GET DIAGNOSTICS moved = ROW_COUNT;
  ALTER TABLE journal_entries_default ENABLE TRIGGER USER;
  EXECUTE format('DROP TABLE %I', name);
  RETURN dropped - moved;
END
$$;
