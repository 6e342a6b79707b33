// Which models a caller may use. An organization, a team and a member each have a list; a model must be on every list
// that is not empty. The lists are joined into one test when the caller is loaded, so a call only looks up its model.

/** `<provider>/*` stands for every model whose id begins so; anything else is one model's id. */
const EVERY_MODEL = '/*';

export type AllowedModels = Readonly<{
  ids: ReadonlySet<string>;
  /** Providers of which every model is allowed. */
  providers: ReadonlySet<string>;
}>;

type List = readonly string[];

/** What all lists allow together, as one list. Null when every model is allowed; empty when none is. */
export function effectiveList(lists: readonly List[]): List | null {
  const [first, ...others] = lists.filter((list) => list.length > 0);
  return first === undefined ? null : others.reduce(intersection, first);
}

export function compileAllowedModels(lists: readonly List[]): AllowedModels | null {
  const effective = effectiveList(lists);
  return effective === null ? null : compile(effective);
}

/** Ids in a catalog may have capitals; the lists have none. */
export function isModelAllowed(allowed: AllowedModels | null, modelId: string): boolean {
  return allowed === null || covers(allowed, modelId.toLowerCase());
}

function compile(list: List): AllowedModels {
  const providers = list.filter((entry) => entry.endsWith(EVERY_MODEL)).map(providerOf);
  return { ids: new Set(list), providers: new Set(providers) };
}

const covers = ({ ids, providers }: AllowedModels, entry: string): boolean =>
  ids.has(entry) || providers.has(providerOf(entry));

/**
 * An entry of one list stays when the other list covers it. Checking both sides also narrows a wildcard to the entries
 * of the other list.
 */
function intersection(left: List, right: List): List {
  const [leftTest, rightTest] = [compile(left), compile(right)];
  const kept = [
    ...left.filter((entry) => covers(rightTest, entry)),
    ...right.filter((entry) => covers(leftTest, entry)),
  ];
  return [...new Set(kept)];
}

const providerOf = (entry: string): string => entry.slice(0, entry.indexOf('/'));
