import type { RenderContext, StreamRenderer } from '../../canonical/stream-pipe.ts';

export function createChatRenderer(_context: RenderContext): StreamRenderer {
  return { render: () => '', finale: () => '', failure: () => '', keepAliveFrame: '' };
}
