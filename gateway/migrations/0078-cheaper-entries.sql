-- Whether an entry comes too late is decided with less: most of what entering a charge took was the long condition of that trigger, which is read and prepared for every statement.

-- Whoever enters charges locks the journal before its partitions: with all of them locked at once nobody waits in a circle.
LOCK TABLE journal_entries IN SHARE ROW EXCLUSIVE MODE;

-- The partition of a month that is not archived can have no charge of an archived call, but for calls of its first day:
-- clocks differ, so a charge that lies here may have been archived with the month before. All else is looked at whole.
CREATE FUNCTION watch_journal_table(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first_day date := CASE WHEN name ~ '^journal_entries_\d{4}_\d{2}$' THEN to_date(right(name, 7), 'YYYY_MM') END;
BEGIN
  IF first_day IS NULL
    OR EXISTS (SELECT FROM ledger_months WHERE month = first_day AND archive_sha256 IS NOT NULL) THEN
    PERFORM watch_late_entries(name::regclass, 'journal_late');
    RETURN;
  END IF;
  EXECUTE format('CREATE OR REPLACE TRIGGER journal_late BEFORE INSERT ON %I FOR EACH ROW WHEN (
      NEW.created_at < clock_timestamp() - interval ''1 hour'' OR NEW.generation_id COLLATE "C" < %L
    ) EXECUTE FUNCTION refuse_late_entry()', name,
    'gen-' || lpad(to_hex((extract(epoch FROM first_day + interval '1 day') * 1000)::bigint), 12, '0'));
END
$$;

CREATE OR REPLACE FUNCTION guard_journal_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER journal_append_only BEFORE UPDATE OR TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change(''entries are only ever added'')', name);
  EXECUTE format('CREATE TRIGGER journal_kept BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_unarchived()', name);
  PERFORM watch_journal_table(name);
END
$$;

SELECT watch_journal_table(c.relname)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'journal_entries'::regclass AND c.relname LIKE 'journal_entries_%'
ORDER BY c.relname;

-- From the moment in which its charges may be removed, a month's partition looks at every one that comes.
CREATE FUNCTION watch_archived_month() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  name text := 'journal_entries_' || to_char(NEW.month, 'YYYY_MM');
BEGIN
  IF to_regclass(name) IS NOT NULL THEN PERFORM watch_journal_table(name); END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ledger_months_archived AFTER UPDATE OF archive_sha256 ON ledger_months FOR EACH ROW
  WHEN (OLD.archive_sha256 IS NULL AND NEW.archive_sha256 IS NOT NULL) EXECUTE FUNCTION watch_archived_month();

-- Months begin at once in a database that no build has served which knows one table only, before it has a charge. True
-- where they have begun.
CREATE FUNCTION begin_months_of_new_database() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
BEGIN
  IF EXISTS (SELECT FROM journal_began) OR EXISTS (SELECT FROM processes WHERE NOT knows_months)
    OR (SELECT max(applied_at) - min(applied_at) > interval '1 hour' FROM schema_migrations)
    OR EXISTS (SELECT FROM ledger_entries WHERE kind = 'charge') THEN RETURN false; END IF;
  LOCK TABLE journal_entries, ledger_entries IN ACCESS EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM ledger_entries WHERE kind = 'charge') THEN RETURN false; END IF;
  WHILE NOT begin_journal_months(this_month) LOOP
  END LOOP;
  FOR ahead IN 0..2 LOOP
    PERFORM ensure_journal_month((this_month + ahead * interval '1 month')::date);
  END LOOP;
  RETURN to_regclass('journal_entries_default') IS NOT NULL;
END
$$;
