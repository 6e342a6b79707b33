// Runs when the browser shows the page again after its back button. The page then has the state it was left with, also
// that it was on its way to somewhere else.

import { useEffect } from 'react';

export function useCameBack(run: () => void): void {
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) run();
    };
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [run]);
}
