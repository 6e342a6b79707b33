// Pages and charts are files that are fetched when they are first needed. One that cannot be fetched says so in its own
// place and is fetched again on request: the router alone would reload the document, and while the gateway is away that
// would show the browser's error page and lose everything typed.

import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { Spinner } from './spinner.tsx';

/** What a page passes to a chart; pages themselves take nothing. */
type Parts<Name extends string, Props> = Readonly<Record<Name, ComponentType<Props>>>;
type Importer<Name extends string, Props> = () => Promise<Parts<Name, Props>>;

/** A page of the console, as a component of a route. */
export const pageOf = <Name extends string>(importer: Importer<Name, object>, name: Name) =>
  lazyRouteComponent(() => orLater(importer, name), name);

/** The module; or one that asks for it again, where the gateway cannot be reached. */
export async function orLater<Name extends string, Props extends object>(
  importer: Importer<Name, Props>,
  name: Name,
): Promise<Parts<Name, Props>> {
  try {
    return await importer();
  } catch (error) {
    // A gateway that answers has another build by now, and the document that names its files must be loaded again.
    if (await isReached()) throw error;
    return { [name]: laterPart(importer, name) } as Parts<Name, Props>;
  }
}

const isReached = (): Promise<boolean> =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

const UNREACHED = new TypeError('this part of the page could not be fetched');

type Later<Props> = { fetch: () => Promise<ComponentType<Props>>; fetched: ComponentType<Props> | null };

function laterPart<Name extends string, Props extends object>(importer: Importer<Name, Props>, name: Name) {
  const later: Later<Props> = { fetch: async () => (await importer())[name], fetched: null };
  return (props: Props) => <LaterPart later={later} props={props} />;
}

function LaterPart<Props extends object>({ later, props }: Readonly<{ later: Later<Props>; props: Props }>) {
  const [isFetching, setFetching] = useState(false);
  if (later.fetched !== null) return <later.fetched {...props} />;
  const fetchAgain = async (): Promise<void> => {
    setFetching(true);
    // If it fails again the notice stays, with its button.
    later.fetched = await later.fetch().catch(() => null);
    setFetching(false);
  };
  return (
    <div className="p-4 sm:p-8">
      {isFetching ? <Spinner /> : <ErrorNotice error={UNREACHED} onRetry={() => void fetchAgain()} />}
    </div>
  );
}
