-- What each table is for, where whoever looks at the database reads it. The first word is the module that owns the table.

COMMENT ON TABLE accounts IS
  'ledger: Whoever has money here: a user, an organization, and the accounts of the system. The balance is folded from the entries.';
COMMENT ON TABLE account_slices IS
  'ledger: Parts of balances that a process has leased, so that it can admit calls without asking. They go with their process.';
COMMENT ON TABLE checked_accounts IS
  'ledger: What the entries of each account add up to, as far as the self-check has read them.';
COMMENT ON TABLE checked_counters IS
  'ledger: What the entries count against each counter, as far as the self-check has read them.';
COMMENT ON TABLE counter_checkpoints IS 'ledger: What each counter had counted at the end of a closed month.';
COMMENT ON TABLE counter_slices IS 'ledger: Parts of caps that a process has leased, like the slices of balances.';
COMMENT ON TABLE journal_began IS
  'ledger: The first month whose charges lie in a partition of their own; empty until that is decided.';
COMMENT ON TABLE journal_entries IS
  'ledger: Every movement of money, from one account to another. Entries are only ever added.';
COMMENT ON TABLE ledger_checkpoints IS
  'ledger: What each account had moved in a closed month, and in all up to its end.';
COMMENT ON TABLE ledger_mark IS 'ledger: How far the self-check has read the journal and found it sound: one row.';
COMMENT ON TABLE ledger_months IS 'ledger: The closed months. Nothing is entered into them any more.';
COMMENT ON TABLE price_lists IS 'ledger: The prices that charges were made by, each list kept once.';
COMMENT ON TABLE processes IS
  'ledger: The gateways that are running. One that has not been heard of is swept: what it leased is returned, what it added is folded.';
COMMENT ON TABLE reservations IS
  'ledger: Money that is held for work that outlives its process, such as videos and lines of batches.';
COMMENT ON TABLE spend_brake IS 'ledger: The emergency brake over the spending of everybody: one row.';
COMMENT ON TABLE spend_counters IS 'ledger: What was spent within the period of a cap or a breaker.';
COMMENT ON TABLE unfolded_batches IS
  'ledger: Charges that are entered and not folded yet into balances, counters and sums.';

COMMENT ON TABLE top_up_orders IS 'payments: Top-ups that somebody has begun to pay for.';
COMMENT ON TABLE automatic_top_ups IS
  'payments: Who wants a balance to be topped up by a saved card, when, and by how much.';
COMMENT ON TABLE credit_code_batches IS 'payments: Codes that were made together, with their amount and their end.';
COMMENT ON TABLE credit_codes IS 'payments: Codes that give credit once, as keyed hashes.';
COMMENT ON TABLE payment_events IS 'payments: What the payment service has told us, each event once.';
COMMENT ON TABLE payment_reversals IS 'payments: Refunds and disputes, and what has become of them.';

COMMENT ON TABLE generations IS 'usage: One row for each call that was answered or billed, by month.';
COMMENT ON TABLE dropped_months IS 'usage: What the records of a dropped month had cost each account, for the audit.';
COMMENT ON TABLE refused_calls IS 'usage: A sample of the calls that were refused, without their prompts.';
COMMENT ON TABLE usage_absorbed IS 'usage: Cost that nobody paid, without models; kept for builds that read it.';
COMMENT ON TABLE usage_daily IS 'usage: Sums of calls by day, folded from the records.';
COMMENT ON TABLE usage_hourly IS 'usage: Sums of calls by hour, folded from the records.';
COMMENT ON TABLE usage_unpaid IS 'usage: Cost that nobody paid, by person, day, reason and model.';

COMMENT ON TABLE usage_saved IS 'answers: What answers from the cache have saved, by day.';
COMMENT ON TABLE answer_purges IS 'answers: From when on kept answers of an account may be given.';

COMMENT ON TABLE idempotent_calls IS 'repeats: Calls with an idempotency key, and their sealed answers, for a day.';

COMMENT ON TABLE free_usage IS 'free-tier: How much of the free quotas was used today.';

COMMENT ON TABLE exposures IS
  'limits: What somebody''s calls cost us without being paid for, and since when they are restricted.';

COMMENT ON TABLE users IS 'identity: People.';
COMMENT ON TABLE api_keys IS 'identity: Keys, as keyed hashes, with their limits and settings.';
COMMENT ON TABLE user_breakers IS 'identity: A person''s own breaker over all their keys.';

COMMENT ON TABLE application_grants IS
  'signin: Codes that an application exchanges for a key which its user has agreed to.';
COMMENT ON TABLE external_logins IS 'signin: Accounts at other sites that a person may sign in with.';
COMMENT ON TABLE org_sign_on IS 'signin: The issuer by which an organization''s people sign in.';
COMMENT ON TABLE passkeys IS 'signin: Passkeys of people.';
COMMENT ON TABLE password_resets IS 'signin: Links to a new password, as keyed hashes.';
COMMENT ON TABLE recovery_codes IS 'signin: Codes for whoever has lost the second factor, as keyed hashes.';
COMMENT ON TABLE second_steps IS
  'signin: Whoever has shown the password and not yet the second factor, or is about to add a passkey.';
COMMENT ON TABLE sessions IS 'signin: Browsers that are signed in, as keyed hashes.';
COMMENT ON TABLE sign_in_attempts IS 'signin: Attempts at guessing, by what is guessed at and by where they come from.';
COMMENT ON TABLE sign_ups IS 'signin: Addresses that wait to be confirmed.';
COMMENT ON TABLE totp_secrets IS 'signin: Secrets of authenticator apps, sealed.';

COMMENT ON TABLE operators IS 'operators: People who operate the gateway, with their roles.';

COMMENT ON TABLE operator_audit_log IS 'audit: What operators did and looked at. Entries are only ever added.';
COMMENT ON TABLE org_audit_log IS 'audit: What happened in an organization. Entries are only ever added.';
COMMENT ON TABLE org_audit_marks IS 'audit: When a thing that happens often was last written to the log.';

COMMENT ON TABLE organizations IS 'orgs: Organizations and their settings.';
COMMENT ON TABLE org_domains IS 'orgs: Domains that an organization has claimed, and since when they are confirmed.';
COMMENT ON TABLE org_invitations IS 'orgs: Invitations by a mailed link, of which only the hash is kept.';
COMMENT ON TABLE org_members IS 'orgs: Who belongs to an organization, with role, team and budget.';
COMMENT ON TABLE provisioned_group_members IS 'orgs: Who is in a group that an organization''s directory has sent.';
COMMENT ON TABLE provisioned_groups IS
  'orgs: Groups that an organization''s directory has sent, and the teams they are.';
COMMENT ON TABLE provisioned_people IS 'orgs: People whom an organization''s directory has sent.';
COMMENT ON TABLE provisioning_tokens IS
  'orgs: Tokens by which a directory may send people and groups, as keyed hashes.';
COMMENT ON TABLE statement_payments IS 'orgs: Money that the operator has received for a month of an organization.';
COMMENT ON TABLE statements IS 'orgs: Months of organizations that are over, as they were billed.';
COMMENT ON TABLE teams IS 'orgs: Teams of organizations, with their budgets.';

COMMENT ON TABLE byok_keys IS 'byok: Keys and addresses of upstreams that customers have brought, sealed.';
COMMENT ON TABLE byok_mappings IS 'byok: Which models go to which of a customer''s own upstreams.';

COMMENT ON TABLE catalog_models IS
  'catalog: What is remembered of a model after it has left the document: that it existed, and its last day.';
COMMENT ON TABLE config_revisions IS
  'catalog: Every config document that was applied, with author, time and note. The newest one is live.';

COMMENT ON TABLE price_books IS
  'vendors: Newer prices of vendors than the shipped ones, as an operator has fetched them.';

COMMENT ON TABLE route_history IS 'routing: How routes did in the last day, in quarters of an hour.';

COMMENT ON TABLE content_filters IS 'guardrails: Filters that organizations have set up.';
COMMENT ON TABLE guards IS 'guardrails: Services of others that an organization or the operator has calls judged by.';
COMMENT ON TABLE guard_decisions IS
  'guardrails: What guards have decided, never what they were shown. Kept for a month.';
COMMENT ON TABLE moderation_evidence IS
  'guardrails: Prompts that were refused, sealed, for whoever has to judge the refusal.';

COMMENT ON TABLE transcripts IS 'transcripts: Prompts and answers of organizations that keep them, sealed.';
COMMENT ON TABLE transcript_totals IS 'transcripts: How much an organization has kept; there is a limit to it.';

COMMENT ON TABLE batches IS 'batches: Batches and jobs, in the form in which they were asked for.';
COMMENT ON TABLE batch_lines IS 'batches: The lines of batches, each held, charged and recorded like a call.';
COMMENT ON TABLE files IS 'batches: Files that were uploaded, or made of results.';
COMMENT ON TABLE file_parts IS 'batches: The contents of files, in parts.';
COMMENT ON TABLE handed_batches IS 'batches: Batches that were handed to a provider''s own batch interface.';
COMMENT ON TABLE handed_lines IS 'batches: Lines of batches that were handed over, with the prices of that day.';
COMMENT ON TABLE job_callbacks IS 'batches: Calls to the owners of jobs that are over.';

COMMENT ON TABLE video_jobs IS 'videos: Videos that were ordered.';
COMMENT ON TABLE video_callbacks IS 'videos: Calls to the owners of videos that are made.';

COMMENT ON TABLE edu_configs IS 'edu: How an institution lets its students in.';
COMMENT ON TABLE edu_keys IS 'edu: Keys of institutions, as keyed hashes.';
COMMENT ON TABLE edu_codes IS 'edu: Codes that were mailed to students, and the guesses at them.';
COMMENT ON TABLE edu_sessions IS 'edu: Students who are let in.';

COMMENT ON TABLE mail_outbox IS 'mail: Mails that wait to be sent, and those that were, without their contents.';

COMMENT ON TABLE notice_addresses IS 'notices: Where somebody wants to be told, and of what.';
COMMENT ON TABLE notice_deliveries IS 'notices: Notices on their way to an address.';
COMMENT ON TABLE notice_rounds IS 'notices: When causes were last looked for, so that one process does it.';
COMMENT ON TABLE notices IS 'notices: What there was to tell, once for each cause.';

COMMENT ON TABLE call_feeds IS 'feeds: Where records of calls are sent, and how far each has come.';
COMMENT ON TABLE call_feed_items IS 'feeds: Records that wait to be sent.';
