// Tools that a provider runs by itself and charges for by the use, as far as a request offers any. Plugins are wishes of
// another kind and are not counted here.

export type HostedTools = Readonly<{
  /** How many searches of the web to be ready for; zero where none is offered. */
  searchesMax: number;
  /** Tools that run code or make pictures. */
  hasOthers: boolean;
}>;

export const NO_HOSTED_TOOLS: HostedTools = { searchesMax: 0, hasOthers: false };
