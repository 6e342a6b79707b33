-- Holds that outlive a call stand under caps too: which counters they are held of, who asked for them, and what came of them.

ALTER TABLE reservations
  ADD COLUMN user_id text,
  ADD COLUMN key_id text,
  -- The team that the call was made in, wherever its caller is by the time it ends.
  ADD COLUMN team_id text,
  ADD COLUMN counter_ids bigint[] NOT NULL DEFAULT '{}',
  -- What is held of each. A breaker may hold less than the whole amount.
  ADD COLUMN counter_parts bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN charged_nano_usd bigint,
  ADD COLUMN ended_reason text;

-- Nothing has ever settled one before this migration; should there be such a row, its charge says for how much.
ALTER TABLE reservations DISABLE TRIGGER reservations_end_once;
UPDATE reservations r SET charged_nano_usd = coalesce(
  (SELECT e.amount_nano_usd FROM ledger_entries e WHERE e.kind = 'charge' AND e.generation_id = r.id), 0)
WHERE r.state = 'settled';
ALTER TABLE reservations ENABLE TRIGGER reservations_end_once;

ALTER TABLE reservations
  ADD CONSTRAINT reservations_charged CHECK (
    (state = 'settled') = (charged_nano_usd IS NOT NULL) AND charged_nano_usd BETWEEN 0 AND amount_nano_usd
  ),
  ADD CONSTRAINT reservations_counters CHECK (cardinality(counter_ids) = cardinality(counter_parts));

ALTER TABLE spend_counters ADD COLUMN held_nano_usd bigint NOT NULL DEFAULT 0 CHECK (held_nano_usd >= 0);
