// A catalog in which every tier has a model of its own name, so that an answer's model says which tier was chosen.

import { AUTO_TIERS, type AutoTier } from '../../src/contract/config.ts';
import type { HarnessOptions, ModelSpec } from '../harness.ts';

export const paidModel = (tier: AutoTier): string => `paid/${tier}`;
export const freeModel = (tier: AutoTier): string => `free/${tier}`;

const IMAGES = { output_modalities: ['text', 'image'] };

const tierModels = (name: (tier: AutoTier) => string): Record<string, ModelSpec> =>
  Object.fromEntries(AUTO_TIERS.map((tier) => [name(tier), tier === 'image' ? { entry: IMAGES } : {}]));

const table = (name: (tier: AutoTier) => string) =>
  Object.fromEntries(AUTO_TIERS.map((tier) => [tier, { models: [name(tier)] }]));

export function autoCatalog(models: Record<string, ModelSpec> = {}): HarnessOptions {
  return {
    models: { ...tierModels(paidModel), ...tierModels(freeModel), ...models },
    document: { auto: { paid: table(paidModel), free: table(freeModel) } },
  };
}

/** Requests that nobody would put elsewhere, as the content of a user's message. */
export const CLEAR_REQUESTS: Readonly<Record<AutoTier, unknown>> = {
  simple: 'What is the capital of Peru?',
  standard: 'Explain how a bicycle gear works and give me a recipe for pancakes.',
  complex:
    'Develop a comprehensive five-year strategy for a hospital group, covering governance, budget, risks, stakeholders, milestones and recommendations.',
  reasoning: 'Prove by induction that the sum of the first n odd integers is n^2.',
  coding: 'Write a Python function that parses a JSON file and add unit tests.',
  vision: [
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ],
  image: 'Draw a logo of a fox, watercolor style.',
  video: 'Generate a 10 second video of waves in slow motion.',
  data: 'Calculate the median and standard deviation of this CSV column: 4, 8, 15, 16, 23, 42',
  search: 'What is the latest news about the elections today? Search the web and link your sources.',
  social: 'Write an Instagram caption with hashtags for our new post.',
  email: 'Write an email to my landlord, politely asking for a refund. Kind regards, Ann',
  calendar: 'Schedule a meeting with Priya next Tuesday at 3pm and remind me an hour before.',
  trading: 'Should I buy bitcoin or an index fund ETF, and where do I put my stop loss?',
};
