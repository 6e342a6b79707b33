-- The record of a call is looked for where the time in its id says, and everywhere only if it is not there.

-- A day covers what clocks differ by. A call of a batch may have begun long after it got its id, and old ids carry no time:
-- those are looked for in every month. Nothing but the key of each month finds an id, and a plan that was made while a month
-- was empty must not prefer to read all of it.
CREATE FUNCTION record_of(call_id text) RETURNS SETOF generations LANGUAGE plpgsql STABLE ROWS 1
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  began timestamptz := call_time(call_id);
BEGIN
  IF began IS NOT NULL THEN
    RETURN QUERY SELECT * FROM generations g
    WHERE g.id = call_id AND g.created_at >= began - interval '1 day' AND g.created_at < began + interval '1 day';
    IF FOUND THEN RETURN; END IF;
  END IF;
  RETURN QUERY SELECT * FROM generations g WHERE g.id = call_id;
END
$$;
