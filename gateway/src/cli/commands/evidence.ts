// Prompts that moderation has refused. The list has no texts; opening one writes a line to the gateway's log.

import type { EvidenceAnswer, EvidenceListAnswer } from '../../contract/guardrails.ts';
import { type Command, operand } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable } from '../table.ts';

const FILTERS = ['user', 'account', 'category', 'from', 'to', 'limit', 'after'];
const COLUMNS = ['id', 'userId', 'categories', 'model', 'occurrences', 'lastSeenAt'];

function evidenceList({ data, next }: EvidenceListAnswer): string {
  if (data.length === 0) return 'Nothing was found.';
  const rows = data.map((record) => ({ ...record, categories: record.categories.join(', ') }));
  const table = formatTable(COLUMNS, rows);
  return next === null ? table : `${table}\n\nThere are more: --after ${next}`;
}

export const evidenceCommands: readonly Command[] = [
  {
    words: ['evidence', 'list'],
    operands: [],
    options: {
      user: { value: 'USER_ID', summary: 'Of this user.' },
      account: { value: 'ID', summary: 'Of this account, a user or an organization.' },
      category: { value: 'NAME', summary: 'Of this category.' },
      from: { value: 'DATE', summary: 'Since this date, or time of ISO 8601.' },
      to: { value: 'DATE', summary: 'Before this date or time.' },
      limit: { value: 'NUMBER', summary: 'How many at once: 50 by default, 100 at most.' },
      after: { value: 'ID', summary: 'Where the previous page ended.' },
    },
    summary: 'List what moderation refused, the newest first, without the texts.',
    example: 'evidence list --category malware --from 2026-02-01',
    async run(input) {
      const path = `/admin/v1/evidence${queryText(input, FILTERS)}`;
      const answer = (await input.operator().call('GET', path)) as EvidenceListAnswer;
      return { json: answer, text: evidenceList(answer) };
    },
  },
  {
    words: ['evidence', 'show'],
    operands: ['EVIDENCE_ID'],
    options: {},
    summary: 'Open one of them with its text, which is logged.',
    example: 'evidence show evd-1',
    async run(input) {
      const id = encodeURIComponent(operand(input, 'EVIDENCE_ID'));
      const answer = (await input.operator().call('GET', `/admin/v1/evidence/${id}`)) as EvidenceAnswer;
      const { content, categories, ...fields } = answer;
      const text = formatFields({ ...fields, categories: categories.join(', ') });
      return { json: answer, text: `${text}\n\n${content ?? 'The text was sealed with another secret.'}` };
    },
  },
];
