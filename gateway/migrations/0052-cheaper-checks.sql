-- What every new row is checked for, in one expression for a table and one function: the server reads the text of each
-- check, and of each condition of a trigger, anew with every statement, which had come to a third of a call's cost.

ALTER TABLE ledger_entries
  DROP CONSTRAINT ledger_entries_amount_nano_usd_check,
  DROP CONSTRAINT ledger_entries_charge,
  DROP CONSTRAINT ledger_entries_credit,
  DROP CONSTRAINT ledger_entries_kind_check,
  DROP CONSTRAINT ledger_entries_sides,
  ADD CONSTRAINT ledger_entries_form CHECK (
    amount_nano_usd >= 0 AND debit_account_id <> credit_account_id
    AND CASE kind
      WHEN 'charge' THEN generation_id IS NOT NULL AND reference IS NULL
      WHEN 'refund' THEN generation_id IS NOT NULL AND reference IS NOT NULL
      ELSE kind IN ('credit', 'reclaim', 'restore', 'adjustment') AND generation_id IS NULL AND reference IS NOT NULL
    END
  ) NOT VALID;

ALTER TABLE generations
  DROP CONSTRAINT generations_absorbed_nano_usd_check,
  DROP CONSTRAINT generations_cache_write_tokens_check,
  DROP CONSTRAINT generations_cached_tokens_check,
  DROP CONSTRAINT generations_completion_image_tokens_check,
  DROP CONSTRAINT generations_completion_tokens_check,
  DROP CONSTRAINT generations_cost_nano_usd_check,
  DROP CONSTRAINT generations_free_units_check,
  DROP CONSTRAINT generations_prompt_audio_tokens_check,
  DROP CONSTRAINT generations_prompt_tokens_check,
  DROP CONSTRAINT generations_reasoning_tokens_check,
  DROP CONSTRAINT generations_subtotal_nano_usd_check,
  ADD CONSTRAINT generations_quantities CHECK (
    least(
      prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens,
      completion_image_tokens, free_units, subtotal_nano_usd, cost_nano_usd, absorbed_nano_usd
    ) >= 0
  ) NOT VALID;

-- Entries of the last hour belong to an open month, and calls of the last 31 days to one that is not archived: only what
-- is older is looked up. The ids of calls begin with their time in milliseconds, eleven digits until the year 2527.
CREATE FUNCTION refuse_late_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.created_at < clock_timestamp() - interval '1 hour' THEN
    IF NEW.created_at < (SELECT (max(month) + interval '1 month') AT TIME ZONE 'UTC' FROM ledger_months) THEN
      RAISE EXCEPTION 'an entry of % is refused: its month is closed', NEW.created_at
        USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  IF NEW.kind = 'charge' AND (length(NEW.generation_id) <> 40 OR NEW.generation_id COLLATE "C" <
    'gen-0' || to_hex((date_part('epoch', clock_timestamp()) * 1000)::bigint - 2678400000)) THEN
    IF is_archived_call(NEW.generation_id) THEN
      RAISE EXCEPTION 'the charge of % is refused: its month is archived, and it may be charged already',
        NEW.generation_id USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_entries_late BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_late_entry();
DROP TRIGGER ledger_entries_archived_call ON ledger_entries;
DROP TRIGGER ledger_entries_closed_month ON ledger_entries;
DROP FUNCTION refuse_archived_call();
DROP FUNCTION refuse_closed_month();
