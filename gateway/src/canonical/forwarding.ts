// What is known of a request before it is decided who gets it: whether anything in it has to be looked at again for each
// provider, and which extras it asks for. An extra is a name, such as `service_tier=priority`, that a price may be stated
// for; without one it is not sent.

export type Inspection = Readonly<{
  /** The body may go as it is to whoever speaks its format. */
  isPlain: boolean;
  extras: readonly string[];
}>;

export const NO_EXTRAS: readonly string[] = [];

export const PLAIN: Inspection = { isPlain: true, extras: NO_EXTRAS };
