// Light or dark. The choice is kept in the browser and applied before the first paint by public/theme.js.

import { useState } from 'react';

export type Theme = 'light' | 'dark';

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');
  const toggle = (): void => {
    const next = theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    localStorage.setItem('tollgate-theme', next);
    setTheme(next);
  };
  return [theme, toggle];
}
