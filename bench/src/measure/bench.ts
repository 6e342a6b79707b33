// The parts that every measurement uses.

import type { Generator } from '../load/generator.ts';
import type { Settings } from '../options.ts';
import type { Upstream } from '../targets/upstream.ts';

export type Bench = Readonly<{ generator: Generator; upstream: Upstream; settings: Settings }>;
