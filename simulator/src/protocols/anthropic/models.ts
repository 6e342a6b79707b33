// GET /models in the shape of the `anthropic` protocol.

import { jsonAnswer } from '../../answer.ts';
import type { Operation } from '../../operation.ts';
import { anthropicProtocol } from './protocol.ts';

const NAMES = ['simulated-small', 'simulated-large', 'sim-chunks-200', 'sim-status-529'];

export const anthropicModelsOperation: Operation = {
  method: 'GET',
  path: '/models',
  protocol: anthropicProtocol,
  answer: () =>
    jsonAnswer(200, {
      data: NAMES.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-01-01T00:00:00Z' })),
      has_more: false,
      first_id: NAMES[0],
      last_id: NAMES.at(-1),
    }),
};
