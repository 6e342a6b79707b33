// A form whose values stay in the page: a search, a filter, a draft.

import type { Sending } from './form.tsx';

export const handedTo = <Wish>(take: (wish: Wish) => void): Sending<Wish> => ({
  mutateAsync: async (wish) => take(wish),
  isPending: false,
  error: null,
});
