// Switches a key on or off. The switch shows the gateway's state and moves only after its answer, because people would
// trust a key that only looks switched off.

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
