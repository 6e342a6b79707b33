// The library's entrance. Everything else in this folder is how it is done.

export { makePng } from './content/picture.ts';
export type { RecordedRequest } from './recorder.ts';
export type { Responder, ScriptOptions } from './scripts.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './server.ts';
