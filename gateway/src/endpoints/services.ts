// Everything an endpoint may need, filled in once by the composition root.

import type { Judge } from '../canonical/operation.ts';
import type { Savings } from '../modules/answers/savings.ts';
import type { Audit } from '../modules/audit/audit.ts';
import type { OperatorLog } from '../modules/audit/operator-log.ts';
import type { Batches } from '../modules/batches/batches.ts';
import type { Files } from '../modules/batches/files.ts';
import type { Handed } from '../modules/batches/handed.ts';
import type { CallbackSecrets } from '../modules/batches/job-callbacks.ts';
import type { Jobs } from '../modules/batches/jobs.ts';
import type { Byok } from '../modules/byok/byok.ts';
import type { Edu } from '../modules/edu/create-edu.ts';
import type { Feeds } from '../modules/feeds/feeds.ts';
import type { Filters } from '../modules/guardrails/filters/filters.ts';
import type { Guards } from '../modules/guardrails/guards/guards.ts';
import type { Evidence } from '../modules/guardrails/moderation/evidence.ts';
import type { Identity } from '../modules/identity/identity.ts';
import type { Leaks } from '../modules/identity/leaks.ts';
import type { ScannerSignature } from '../modules/identity/scanner-signature.ts';
import type { Adjustments } from '../modules/ledger/adjustments.ts';
import type { Books } from '../modules/ledger/books.ts';
import type { Brake } from '../modules/ledger/brake.ts';
import type { Entries, Movements } from '../modules/ledger/entries.ts';
import type { Exposure } from '../modules/limits/exposure.ts';
import type { Media } from '../modules/media/media.ts';
import type { NoticeAddresses } from '../modules/notices/addresses.ts';
import type { OwnerNotices } from '../modules/notices/notices.ts';
import type { Operators } from '../modules/operators/operators.ts';
import type { OrgBreakers } from '../modules/orgs/breakers.ts';
import type { OrgServices } from '../modules/orgs/create-orgs.ts';
import type { Statements } from '../modules/orgs/statements.ts';
import type { DirectoryRow, DirectorySearch } from '../modules/orgs/store/directory.ts';
import type { CreditCodes } from '../modules/payments/codes.ts';
import type { Payments } from '../modules/payments/payments.ts';
import type { Repeats } from '../modules/repeats/repeats.ts';
import type { RootSecrets } from '../modules/root-secret/root-secrets.ts';
import type { RouteHistory } from '../modules/routing/history.ts';
import type { SignInParts } from '../modules/signin/create-signin.ts';
import type { Transcripts } from '../modules/transcripts/transcripts.ts';
import type { Calls } from '../modules/usage/calls.ts';
import type { Explanations } from '../modules/usage/explanation.ts';
import type { OrganizationReports } from '../modules/usage/organization-report.ts';
import type { Overviews } from '../modules/usage/overview.ts';
import type { Refusals } from '../modules/usage/refusals.ts';
import type { UsageUpkeep } from '../modules/usage/upkeep.ts';
import type { UsageReports } from '../modules/usage/usage.ts';
import type { PriceBooks } from '../modules/vendors/price-books.ts';
import type { InferenceServices } from '../pipeline/services.ts';
import type { VideoServices } from '../pipeline/videos/submit-video.ts';
import type { Database } from '../platform/db/database.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { PacedCalls } from '../platform/outbound/paced-calls.ts';
import type { SiteServices } from './auth/same-site.ts';
import type { ProtectServices } from './protect.ts';

export type Services = InferenceServices &
  VideoServices &
  ProtectServices &
  OrgServices &
  SignInParts &
  SiteServices &
  Readonly<{
    database: Database;
    identity: Identity;
    leaks: Leaks;
    scannerSignature: ScannerSignature | null;
    brake: Brake;
    entries: Entries;
    books: Books;
    adjustments: Adjustments;
    creditCodes: CreditCodes;
    exposure: Exposure;
    repeats: Repeats;
    files: Files;
    batches: Batches;
    handed: Handed;
    jobs: Jobs;
    jobCallbacks: PacedCalls;
    callbackSecrets: CallbackSecrets;
    savings: Savings;
    usage: UsageReports;
    calls: Calls;
    overviews: Overviews;
    movements: Movements;
    /** The free part of the data folder's disk, from 0 to 1; null where it is not known. */
    freeDiskShare(): Promise<number | null>;
    organizationReports: OrganizationReports;
    explanations: Explanations;
    usageUpkeep: UsageUpkeep;
    refusals: Refusals;
    payments: Payments;
    orgBreakers: OrgBreakers;
    audit: Audit;
    operators: Operators;
    operatorLog: OperatorLog;
    byok: Byok;
    judge: Judge;
    filters: Filters;
    guards: Guards;
    evidence: Evidence;
    /** How long evidence of refused prompts is kept. */
    evidenceDays(): number;
    edu: Edu;
    outbound: Outbound;
    media: Media;
    videoCallbacks: PacedCalls;
    ownerNotices: OwnerNotices;
    noticeAddresses: NoticeAddresses;
    noticeDeliveries: PacedCalls;
    feeds: Feeds;
    transcripts: Transcripts;
    feedDeliveries: PacedCalls;
    statements: Statements;
    searchOrganizations(search: DirectorySearch): Promise<readonly DirectoryRow[]>;
    priceBooks: PriceBooks;
    routeHistory: RouteHistory;
    rootSecrets: RootSecrets;
    mailer: Mailer;
    metrics: Metrics;
    clientIpHeader: string | null;
    listenHost: string;
    /** Where the console's files are. */
    consoleFolder: string;
    isStarting(): boolean;
    isDraining(): boolean;
    isDatabaseReachable(): boolean;
    isLedgerServing(): boolean;
  }>;
