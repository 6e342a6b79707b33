-- A video that came out longer than it was ordered is paid for as well, so a charge may be more than what was held.

ALTER TABLE video_jobs
  DROP CONSTRAINT video_jobs_check,
  ADD CONSTRAINT video_jobs_cost CHECK (cost_nano_usd >= 0);

ALTER TABLE reservations
  DROP CONSTRAINT reservations_charged,
  ADD CONSTRAINT reservations_charged CHECK (
    (state = 'settled') = (charged_nano_usd IS NOT NULL) AND charged_nano_usd >= 0
  );
