-- Nobody is enrolled unasked: organizations that the operator does not answer for invite, and an invitation is the person's to see.

ALTER TABLE organizations
  -- The operator opened it, or answers for it: it adds people directly, and mails students.
  ADD COLUMN is_vouched boolean NOT NULL DEFAULT false,
  -- Whose addresses it may add directly, once it is vouched for; none: anybody's.
  ADD COLUMN member_domains text[] NOT NULL DEFAULT '{}' CHECK (cardinality(member_domains) <= 100);

UPDATE organizations SET is_vouched = true WHERE founder_user_id IS NULL;

ALTER TABLE org_invitations
  -- A mailbox gets few of them; the others wait in the console.
  ADD COLUMN is_mailed boolean NOT NULL DEFAULT true,
  DROP CONSTRAINT org_invitations_outcome_check,
  ADD CONSTRAINT org_invitations_outcome_check CHECK (outcome IN ('accepted', 'declined', 'withdrawn', 'replaced'));

-- For what a person is invited to, and how often a mailbox was written to.
CREATE INDEX org_invitations_address ON org_invitations (email_normalized, created_at);
