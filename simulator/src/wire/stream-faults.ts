// Faults inside a stream, by the kinds of its frames and so the same for every protocol: where it breaks off, what is
// inserted, or that it never ends.

import type { Frame, StreamAnswer } from '../answer.ts';
import type { Commands, StreamEnding } from '../command-rules.ts';
import type { Protocol } from '../operation.ts';

export type Ending = 'end' | 'reset' | 'cut' | 'stall';

export type FaultyStream = Readonly<{ frames: Iterable<Frame>; ending: Ending }>;

const BAD_FRAME: Frame = { kind: 'content', data: '["broken", {"id":"broken","choices":[{"index":0,"delta":{"con' };

function indexAfterContent(frames: readonly Frame[], contentCount: number): number {
  let seen = 0;
  for (const [index, frame] of frames.entries()) {
    if (frame.kind !== 'content') continue;
    if (seen === contentCount) return index;
    seen += 1;
  }
  return firstIndex(frames, (kind) => kind === 'finish' || kind === 'finish-usage' || kind === 'end');
}

function firstIndex(frames: readonly Frame[], matches: (kind: Frame['kind']) => boolean): number {
  const index = frames.findIndex((frame) => matches(frame.kind));
  return index < 0 ? frames.length : index;
}

function indexOf(frames: readonly Frame[], position: StreamEnding['position']): number {
  if (typeof position === 'number') return indexAfterContent(frames, position);
  if (position === 'before-finish') return firstIndex(frames, (kind) => kind === 'finish' || kind === 'finish-usage');
  const isUsage = (kind: Frame['kind']): boolean => kind === 'usage' || kind === 'finish-usage';
  if (position === 'before-usage') return firstIndex(frames, (kind) => isUsage(kind) || kind === 'end');
  return firstIndex(frames, (kind) => kind === 'end');
}

function* endless(frames: readonly Frame[]): Generator<Frame> {
  yield* frames.slice(0, indexOf(frames, 'before-finish'));
  const last = frames.findLast((frame) => frame.kind === 'content');
  while (last !== undefined) yield last;
}

export function applyStreamFaults(answer: StreamAnswer, commands: Commands, protocol: Protocol): FaultyStream {
  const { frames } = answer;
  if (commands.isEndless) return { frames: endless(frames), ending: 'end' };
  if (commands.errorFrameAfter !== undefined) {
    const kept = frames.slice(0, indexAfterContent(frames, commands.errorFrameAfter));
    return { frames: [...kept, protocol.errorFrame()], ending: 'end' };
  }
  if (commands.badFrameAfter !== undefined) {
    const at = indexAfterContent(frames, commands.badFrameAfter);
    const event = frames[at]?.event;
    const bad = event === undefined ? BAD_FRAME : { ...BAD_FRAME, event };
    return { frames: [...frames.slice(0, at), bad, ...frames.slice(at)], ending: 'end' };
  }
  if (commands.ending === undefined) return { frames, ending: 'end' };
  const { action, position } = commands.ending;
  return { frames: frames.slice(0, indexOf(frames, position)), ending: action === 'eof' ? 'end' : action };
}
