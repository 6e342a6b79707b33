-- A person adds a bounded amount to an organization's log in a day, which is counted here, and the operator may say for how long it is kept.

ALTER TABLE org_audit_marks ADD COLUMN entries integer NOT NULL DEFAULT 0;
COMMENT ON TABLE org_audit_marks IS 'audit: When a thing that happens often was last written to the log, and how much a person has added to it since.';
COMMENT ON TABLE org_audit_log IS 'audit: What happened in an organization. Entries are only ever added; the operator may have old ones removed.';

-- Whatever the gateway is told to keep: what happened lately stays.
CREATE OR REPLACE TRIGGER org_audit_log_append_only BEFORE UPDATE OR TRUNCATE ON org_audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('entries are only ever added');
CREATE TRIGGER org_audit_log_kept BEFORE DELETE ON org_audit_log
  FOR EACH ROW WHEN (OLD.created_at > now() - interval '60 days')
  EXECUTE FUNCTION refuse_change('entries are only ever added');
