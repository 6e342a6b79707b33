-- The purposes of some tables in plainer words, for everybody who reads them in the database.

COMMENT ON TABLE accounts IS
  'ledger: Accounts that have money: of users, of organizations, and of the system itself. The balance is folded from the entries.';
COMMENT ON TABLE account_slices IS
  'ledger: Parts of balances that a process has leased, so that it can hold money for calls without asking. They go with their process.';
COMMENT ON TABLE recovery_codes IS 'signin: Codes for people who have lost their second factor, as keyed hashes.';
COMMENT ON TABLE second_steps IS
  'signin: People who have given their password and not yet their second factor, or who are about to add a passkey.';
COMMENT ON TABLE sign_in_attempts IS
  'signin: Attempts to guess a password or a code, by what was guessed at and by where they came from.';
COMMENT ON TABLE guards IS 'guardrails: Services of others that judge calls for an organization or for the operator.';
COMMENT ON TABLE moderation_evidence IS
  'guardrails: Prompts that were refused, sealed, for the person who has to judge the refusal.';
COMMENT ON TABLE edu_sessions IS 'edu: Sessions of students.';
COMMENT ON TABLE notice_addresses IS 'notices: Where people want their notices to be sent, and which notices they want.';
