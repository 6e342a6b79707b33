// What a setting of an organization belongs to: the whole, one team or one member. It is written `team:ID` in
// addresses.

export type Scope =
  | Readonly<{ kind: 'org' }>
  | Readonly<{ kind: 'team'; id: string }>
  | Readonly<{ kind: 'member'; id: string }>;

export const WHOLE: Scope = { kind: 'org' };

export const scopeText = (scope: Scope): string => (scope.kind === 'org' ? 'org' : `${scope.kind}:${scope.id}`);

export function parseScope(text: string | undefined): Scope {
  const [kind, id] = (text ?? '').split(':');
  if ((kind === 'team' || kind === 'member') && id !== undefined && id !== '') return { kind, id };
  return WHOLE;
}

/** The part of a path that stands between the organization and the setting. */
export function scopePath(scope: Scope): string {
  return scope.kind === 'org' ? '' : `/${scope.kind}s/${encodeURIComponent(scope.id)}`;
}
