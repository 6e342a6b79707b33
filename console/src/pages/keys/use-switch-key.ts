// Switches a key on or off. The switch moves at once, because the change is small and can be undone; if the gateway
// refuses, it moves back.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeKey, type Key, keysQuery } from '../../api/keys.ts';

type Wish = Readonly<{ id: string; enabled: boolean }>;

export function useSwitchKey() {
  const queryClient = useQueryClient();
  const { queryKey } = keysQuery;
  return useMutation({
    mutationFn: ({ id, enabled }: Wish) => changeKey(id, { enabled }),
    onMutate: async ({ id, enabled }) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData<readonly Key[]>(queryKey, (keys) =>
        keys?.map((key) => (key.id === id ? { ...key, enabled } : key)),
      );
      return { before };
    },
    onError: (_error, _wish, context) => queryClient.setQueryData(queryKey, context?.before),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
}
