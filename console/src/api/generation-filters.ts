// What the list of one's own calls can be narrowed by.

/** As the page's address contains them. */
export const GENERATION_FILTERS = ['outcome', 'model', 'key', 'app', 'status', 'id', 'user', 'from', 'to'] as const;

export type GenerationFilter = Partial<Record<'orgId' | (typeof GENERATION_FILTERS)[number], string>>;
