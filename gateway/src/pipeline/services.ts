// What the stages of a call need from the rest of the gateway. The composition root fills it in once.

import type { Catalog } from '../modules/catalog/catalog.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import type { Classifier } from '../modules/routing/auto/classifier.ts';
import type { Clock } from '../platform/clock.ts';
import type { AdmissionServices } from './admit.ts';
import type { AuthenticationServices } from './authenticate.ts';
import type { DispatchServices } from './dispatch.ts';
import type { Reviewer } from './guard.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { RateServices } from './limit-rate.ts';

export type InferenceServices = AuthenticationServices &
  RateServices &
  AdmissionServices &
  DispatchServices &
  Readonly<{
    clock: Clock;
    catalog: Catalog;
    autoClassifier: Classifier;
    ledger: Ledger;
    reviewers: readonly Reviewer[];
    keepAlive: KeepAlive;
  }>;
