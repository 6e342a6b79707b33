-- What filters and guards have decided about a call, on its record. Null for nearly all: nobody had anything to say.

ALTER TABLE generations ADD COLUMN reviews jsonb;
