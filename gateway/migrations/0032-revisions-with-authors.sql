-- Revisions of the config document say who made them, why, and what they changed, so that they can be taken back.

-- Null in revisions from before. The changes are lines for people, without secrets.
alter table config_revisions
  add column author text,
  add column note text,
  add column restored_revision bigint,
  add column changes json;
