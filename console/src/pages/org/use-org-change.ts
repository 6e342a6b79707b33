// A change to an organization. Everything that shows the organization is read again afterwards, because one change is
// visible in many places: a team's name is in keys, reports and the log, and a person may change their own role or
// leave.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { membershipsQuery, orgKeyOf } from '../../api/orgs/organizations.ts';
import { sessionQuery } from '../../api/session.ts';
import { useToast } from '../../ui/toast.tsx';
import { useOrg } from './current-org.ts';

type ChangeOptions<Wish, Answer> = Readonly<{
  run: (wish: Wish) => Promise<Answer>;
  /** Said when it is done; left out where the page itself says it. */
  done?: string;
  onDone?: (answer: Answer) => void;
}>;

export function useOrgChange<Wish = void, Answer = unknown>({ run, done, onDone }: ChangeOptions<Wish, Answer>) {
  const queryClient = useQueryClient();
  const { id: orgId } = useOrg();
  const toast = useToast();
  return useMutation({
    mutationFn: run,
    onSuccess: async (answer) => {
      const keys = [membershipsQuery.queryKey, sessionQuery.queryKey, orgKeyOf(orgId)];
      await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      if (done !== undefined) toast(done);
      onDone?.(answer);
    },
  });
}
