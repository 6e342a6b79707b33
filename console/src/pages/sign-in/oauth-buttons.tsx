// Signing in with an account at another site. Each is a plain link: the gateway redirects the browser there and back.

import { useQuery } from '@tanstack/react-query';
import { providersQuery } from '../../api/auth.ts';
import { buttonClass } from '../../ui/button.tsx';

export function OAuthButtons({ returnTo }: Readonly<{ returnTo: string }>) {
  const { data: providers = [] } = useQuery(providersQuery);
  if (providers.length === 0) return null;
  return (
    <div className="grid gap-3">
      <p className="flex items-center gap-3 text-xs text-quiet before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      {providers.map(({ id, name, url }) => (
        <a
          key={id}
          href={`${url}${url.includes('?') ? '&' : '?'}returnTo=${encodeURIComponent(returnTo)}`}
          className={buttonClass()}
        >
          Continue with {name}
        </a>
      ))}
    </div>
  );
}
