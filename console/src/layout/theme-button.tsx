// Changes between light and dark.

import { Moon, Sun } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { useTheme } from './theme.ts';

export function ThemeButton() {
  const [theme, toggleTheme] = useTheme();
  return (
    <Button
      kind="ghost"
      isSmall
      onClick={toggleTheme}
      aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
    >
      {theme === 'dark' ? <Sun size={17} aria-hidden="true" /> : <Moon size={17} aria-hidden="true" />}
    </Button>
  );
}
