// What the stages of a call need from the rest of the gateway. The composition root fills it in once.

import type { Uploads } from '../http/uploads.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import type { Classifier } from '../modules/routing/auto/classifier.ts';
import type { OpenCalls } from '../modules/usage/open-calls.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { AdmissionServices } from './admit.ts';
import type { AuthenticationServices } from './authenticate.ts';
import type { FundServices } from './fund.ts';
import type { OutputReviewer, Reviewer } from './guard.ts';
import type { TranscriptServices } from './keep-transcript.ts';
import type { HandingServices } from './later/hand-over.ts';
import type { RateServices } from './limit-rate.ts';
import type { OwnServices } from './own-upstream.ts';
import type { PaidCallServices } from './paid-call.ts';
import type { PaymentAdviceServices, RefusalServices } from './refusals.ts';
import type { CacheServices } from './repeats/answer-again.ts';
import type { QuotaServices } from './student-quota.ts';

export type InferenceServices = AuthenticationServices &
  RateServices &
  AdmissionServices &
  FundServices &
  PaidCallServices &
  OwnServices &
  QuotaServices &
  RefusalServices &
  PaymentAdviceServices &
  CacheServices &
  TranscriptServices &
  HandingServices &
  Readonly<{
    clock: Clock;
    catalog: Catalog;
    autoClassifier: Classifier;
    openCalls: OpenCalls;
    reviewers: readonly Reviewer[];
    outputReviewOf: OutputReviewer;
    uploads: Uploads;
    /** Null while nothing is traced. */
    tracer: Tracer | null;
  }>;
