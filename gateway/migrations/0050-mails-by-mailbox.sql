-- How often a mailbox was written to is asked with every invitation, whatever its address was spelled like.

CREATE INDEX org_invitations_mailbox ON org_invitations (mailbox_of(email_normalized), created_at);
