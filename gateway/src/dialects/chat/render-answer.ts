import type { Answer } from '../../canonical/answer.ts';
import type { RenderContext } from '../../canonical/stream-pipe.ts';
import type { Bill } from '../dialect.ts';

export function renderChatAnswer(_answer: Answer, _context: RenderContext, _bill: Bill): string {
  return '';
}
