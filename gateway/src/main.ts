// The program: what the environment says, served. Everything else is in serve/.

import { readConfig } from './config.ts';
import { fail, serve } from './serve/serve.ts';

try {
  await serve(readConfig());
} catch (error) {
  fail(error);
}
