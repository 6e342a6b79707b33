-- Every try of a call that took more than one, or that nobody answered: who was asked, what came of it and how long it took.

ALTER TABLE generations ADD COLUMN attempt_log jsonb;
