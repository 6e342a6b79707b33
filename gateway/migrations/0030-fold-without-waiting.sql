-- A fold that meets an account that somebody keeps locked lets go of all others soon, and is tried again later.

CREATE FUNCTION fold_soon(of_process text, batches_max integer)
RETURNS TABLE (batches integer, account_ids text[], spendables bigint[]) LANGUAGE plpgsql
SET lock_timeout = '500ms' AS $$
BEGIN
  RETURN QUERY SELECT * FROM fold_batches(of_process, NULL, batches_max);
END
$$;
