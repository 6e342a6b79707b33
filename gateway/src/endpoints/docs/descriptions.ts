// All descriptions together, in the order of the sections. A test compares them with the table of routes.

import { accountDescriptions } from '../account/describe.ts';
import { adminDescriptions } from '../admin/describe.ts';
import { operatorDescriptions } from '../admin/describe-operators.ts';
import { platformDescriptions } from '../admin/describe-platform.ts';
import { providerDescriptions } from '../admin/describe-providers.ts';
import { authDescriptions } from '../auth/describe.ts';
import { factorDescriptions } from '../auth/describe-factors.ts';
import { batchDescriptions } from '../batches/describe.ts';
import { byokDescriptions } from '../byok/describe.ts';
import { eduDescriptions } from '../edu/describe.ts';
import { feedDescriptions } from '../feeds/describe.ts';
import {
  audioDescriptions,
  chatDescriptions,
  completionDescriptions,
  embeddingsDescriptions,
  imagesDescriptions,
  messagesDescriptions,
  moderationDescriptions,
  rerankDescriptions,
  responsesDescriptions,
} from '../inference/describe.ts';
import { keyDescriptions } from '../keys/describe.ts';
import { modelDescriptions } from '../models/describe.ts';
import { noticeDescriptions } from '../notices/describe.ts';
import { orgDescriptions } from '../orgs/describe.ts';
import { signOnDescriptions } from '../orgs/describe-sign-on.ts';
import { contentFilterDescriptions, orgSpendDescriptions } from '../orgs/describe-spending.ts';
import { paymentDescriptions } from '../payments/describe.ts';
import { scimDescriptions } from '../scim/describe.ts';
import { systemDescriptions } from '../system/describe.ts';
import { transcriptDescriptions } from '../transcripts/describe.ts';
import { videoDescriptions } from '../videos/describe.ts';
import type { Descriptions } from './description.ts';
import { answeredLater } from './variants.ts';

export const descriptions: Descriptions = {
  ...answeredLater(chatDescriptions),
  ...answeredLater(completionDescriptions),
  ...answeredLater(responsesDescriptions),
  ...answeredLater(messagesDescriptions),
  ...answeredLater(embeddingsDescriptions),
  ...answeredLater(rerankDescriptions),
  ...answeredLater(moderationDescriptions),
  ...answeredLater(imagesDescriptions),
  ...videoDescriptions,
  ...answeredLater(audioDescriptions),
  ...batchDescriptions,
  ...modelDescriptions,
  ...accountDescriptions,
  ...paymentDescriptions,
  ...keyDescriptions,
  ...orgDescriptions,
  ...signOnDescriptions,
  ...scimDescriptions,
  ...orgSpendDescriptions,
  ...contentFilterDescriptions,
  ...noticeDescriptions,
  ...feedDescriptions,
  ...transcriptDescriptions,
  ...byokDescriptions,
  ...eduDescriptions,
  ...authDescriptions,
  ...factorDescriptions,
  ...adminDescriptions,
  ...operatorDescriptions,
  ...platformDescriptions,
  ...providerDescriptions,
  ...systemDescriptions,
};
