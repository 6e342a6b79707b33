// What the stages of a call need from the rest of the gateway. The composition root fills it in once.

import type { Uploads } from '../http/uploads.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import type { Classifier } from '../modules/routing/auto/classifier.ts';
import type { OpenCalls } from '../modules/usage/open-calls.ts';
import type { UsualOutput } from '../modules/usage/usual-output.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { AdmissionServices } from './admit.ts';
import type { AuthenticationServices } from './authenticate.ts';
import type { DispatchServices } from './dispatch.ts';
import type { FundServices } from './fund.ts';
import type { Reviewer } from './guard.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { RateServices } from './limit-rate.ts';
import type { OwnServices } from './own-candidates.ts';
import type { QuotaServices } from './student-quota.ts';

export type InferenceServices = AuthenticationServices &
  RateServices &
  AdmissionServices &
  FundServices &
  DispatchServices &
  OwnServices &
  QuotaServices &
  Readonly<{
    clock: Clock;
    catalog: Catalog;
    autoClassifier: Classifier;
    ledger: Ledger;
    openCalls: OpenCalls;
    usualOutput: UsualOutput;
    reviewers: readonly Reviewer[];
    keepAlive: KeepAlive;
    uploads: Uploads;
    /** Null while nothing is traced. */
    tracer: Tracer | null;
  }>;
