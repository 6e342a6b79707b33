// A change by the operator. Everything that shows what it changed is read again afterwards.

import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../ui/toast.tsx';

type OperationOptions<Wish, Answer> = Readonly<{
  run: (wish: Wish) => Promise<Answer>;
  /** The queries to read again. */
  touches: QueryKey;
  /** The message when it is done. */
  done?: string;
  onDone?: (answer: Answer) => void;
  /** Operations on the same thing are run one after another, in the order in which they were asked for. */
  on?: string;
}>;

export function useOperation<Wish = void, Answer = unknown>(options: OperationOptions<Wish, Answer>) {
  const { run, touches, done, onDone, on } = options;
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: run,
    ...(on === undefined ? {} : { scope: { id: on } }),
    onSuccess: async (answer) => {
      await queryClient.invalidateQueries({ queryKey: touches });
      if (done !== undefined) toast(done);
      onDone?.(answer);
    },
  });
}
