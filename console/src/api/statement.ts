// Statements: an account's entries with the balance after each, for its holder and for the operator.

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AccountStatementAnswer, EntryKind, StatementEntry } from '../../../gateway/src/contract/statement.ts';
import { OPERATOR_KEY, operate, operateRaw } from './operator/token.ts';
import { queryText, request, send } from './request.ts';

export type { EntryKind, StatementEntry };
export type Statement = AccountStatementAnswer;

export type StatementWish = Readonly<{ from?: string; to?: string; by?: string }>;

/** Whose statement, and who asks. */
export type StatementSource = Readonly<{
  key: readonly unknown[];
  read: (query: string) => Promise<Statement>;
  readCsv: (query: string) => Promise<Blob>;
}>;

const pathOf = (orgId: string | undefined): string =>
  orgId === undefined ? '/v1/statement' : `/v1/orgs/${encodeURIComponent(orgId)}/statement`;

export const ownStatement = (orgId: string | undefined): StatementSource => ({
  key: ['statement', orgId ?? null],
  read: (query) => request<Statement>('GET', `${pathOf(orgId)}${query}`),
  readCsv: async (query) => (await send('GET', `${pathOf(orgId)}${query}`)).blob(),
});

export const operatorStatement = (kind: 'users' | 'orgs', id: string): StatementSource => {
  const path = `/${kind}/${encodeURIComponent(id)}/entries`;
  return {
    key: [OPERATOR_KEY, kind, id, 'entries'],
    read: (query) => operate<Statement>('GET', `${path}${query}`),
    readCsv: async (query) => (await operateRaw(`${path}${query}`)).blob(),
  };
};

export const statementQuery = (source: StatementSource, wish: StatementWish) =>
  infiniteQueryOptions({
    queryKey: [...source.key, wish],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => source.read(queryText({ ...wish, cursor: pageParam })),
    getNextPageParam: ({ next }) => next,
  });

export const readStatementCsv = (source: StatementSource, wish: StatementWish): Promise<Blob> =>
  source.readCsv(queryText({ ...wish, format: 'csv' }));
