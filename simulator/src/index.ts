// The entry of the library; the other files of this folder are internal.

export { makePng } from './content/picture.ts';
export type { RecordedRequest } from './recorder.ts';
export type { Responder, ScriptOptions } from './scripts.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './server.ts';
