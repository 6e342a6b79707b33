// The simulator's own endpoints, for tests in another process: script answers and read the requests. They need no key,
// and those under /simulator/ are not recorded.

import { jsonAnswer, type WholeAnswer } from './answer.ts';
import { parseCommands, UnknownCommandError } from './commands.ts';
import { isObject, type JsonObject, numberAt, stringAt } from './json.ts';
import type { RecordedRequest, Recorder } from './recorder.ts';
import type { Scripts } from './scripts.ts';

const refuse = (message: string): WholeAnswer => jsonAnswer(400, { error: { message } });

function addScript(scripts: Scripts, body: Buffer): WholeAnswer {
  try {
    const order: unknown = JSON.parse(body.toString());
    if (!isObject(order)) return refuse('Send an object.');
    const commands = stringAt(order, 'commands');
    if (commands === undefined) return refuse("Send 'commands' as a string.");
    parseCommands(commands);
    const path = stringAt(order, 'path');
    const model = stringAt(order, 'model');
    scripts.add(commands, {
      times: numberAt(order, 'times') ?? 1,
      ...(path !== undefined && { path }),
      ...(model !== undefined && { model }),
    });
    return jsonAnswer(200, { ok: true });
  } catch (error) {
    if (error instanceof UnknownCommandError || error instanceof SyntaxError) return refuse(error.message);
    throw error;
  }
}

// A record computes its body on demand, which JSON would not see.
function plainRecord(request: RecordedRequest): JsonObject {
  const { method, path, headers, body, at, closedAt, isAborted } = request;
  return { method, path, headers, body, at, closedAt, isAborted };
}

export type Control = Readonly<{ answer(method: string, path: string, body: Buffer): WholeAnswer | undefined }>;

export function createControl(recorder: Recorder, scripts: Scripts): Control {
  return {
    answer(method, path, body) {
      switch (`${method} ${path}`) {
        case 'GET /':
        case 'HEAD /':
        case 'GET /redirected':
        case 'POST /redirected':
          return jsonAnswer(200, {
            name: 'tollgate-simulator',
            protocols: ['openai', 'anthropic', 'gemini', 'bedrock'],
          });
        case 'GET /simulator/requests':
          return jsonAnswer(200, { requests: recorder.requests.map(plainRecord) });
        case 'DELETE /simulator/requests':
          recorder.clear();
          return jsonAnswer(200, { ok: true });
        case 'POST /simulator/scripts':
          return addScript(scripts, body);
        case 'DELETE /simulator/scripts':
          scripts.clear();
          return jsonAnswer(200, { ok: true });
        default:
          return undefined;
      }
    },
  };
}
