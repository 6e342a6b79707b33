// The program: reads the environment and serves. Everything else is in serve/.

import { readConfig } from './config.ts';
import { fail, serve } from './serve/serve.ts';

// No `await` here: the one file that is shipped is no module.
try {
  serve(readConfig()).catch(fail);
} catch (error) {
  fail(error);
}
