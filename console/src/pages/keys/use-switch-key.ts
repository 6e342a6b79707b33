// Switches a key on or off. The switch shows what the gateway says and moves when it has answered: a key that only looks
// switched off would be believed.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeKey, keysQuery } from '../../api/keys.ts';

type Wish = Readonly<{ id: string; enabled: boolean }>;

export function useSwitchKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, enabled }: Wish) => changeKey(id, { enabled }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}
