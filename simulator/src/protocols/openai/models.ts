// GET /models. The list is short on purpose: any model name is served, and commands in the name make it misbehave.

import { jsonAnswer } from '../../answer.ts';
import type { Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const NAMES = ['simulated-small', 'simulated-large', 'simulated-embedding', 'sim-chunks-200', 'sim-status-503'];

export const modelsOperation: Operation = {
  method: 'GET',
  path: '/models',
  protocol: openaiProtocol,
  answer: () =>
    jsonAnswer(200, {
      object: 'list',
      data: NAMES.map((id) => ({ id, object: 'model', created: 1_735_689_600, owned_by: 'tollgate-simulator' })),
    }),
};
