-- Charges of months that were sealed long ago go to files: the database lets them go only after the file's digest was verified, and takes no charge that may be in one.

-- The digest of the file, from the moment at which charges may go; and when all of them are gone.
ALTER TABLE ledger_months ADD COLUMN archive_sha256 text, ADD COLUMN archived_at timestamptz;

-- The first moment that is not archived.
CREATE FUNCTION archived_until() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce((max(month) + interval '1 month') AT TIME ZONE 'UTC', '-infinity')
  FROM ledger_months WHERE archive_sha256 IS NOT NULL
$$;

-- Entries are only ever added, but for charges whose month is archived. Everything else stays: its references are what
-- keeps a payment from being credited again.
CREATE FUNCTION refuse_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind = 'charge' AND OLD.created_at < archived_until() THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'DELETE on ledger_entries is refused: entries are only ever added' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_unarchived();
CREATE OR REPLACE TRIGGER ledger_entries_append_only BEFORE UPDATE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');

-- Whether the charge of a call may be among those that are archived. Ids carry the time at which their call began, by the
-- clock of a gateway; a day covers what clocks and long calls differ by. Ids from before they carried a time may be of any.
CREATE FUNCTION is_archived_call(generation_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT archived_until() > '-infinity' AND (length(generation_id) <> 40 OR generation_id COLLATE "C" <
    'gen-' || lpad(to_hex((extract(epoch FROM archived_until() + interval '1 day') * 1000)::bigint), 12, '0'))
$$;

-- A call is charged once, which for archived charges no index can tell any more: they are refused, for a person to look
-- at. Calls of the last month are not looked up: a month is archived two months after its end at the earliest.
CREATE FUNCTION refuse_archived_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_archived_call(NEW.generation_id) THEN
    RAISE EXCEPTION 'the charge of % is refused: its month is archived, and it may be charged already', NEW.generation_id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_entries_archived_call BEFORE INSERT ON ledger_entries FOR EACH ROW
  WHEN (NEW.kind = 'charge' AND (length(NEW.generation_id) <> 40 OR NEW.generation_id COLLATE "C" <
    'gen-' || lpad(to_hex((extract(epoch FROM clock_timestamp() - interval '31 days') * 1000)::bigint), 12, '0')))
  EXECUTE FUNCTION refuse_archived_call();
