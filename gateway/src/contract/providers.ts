// Connecting providers in the operator API: presets, a vendor's models, connected providers, tests, prices.

import { Type } from '@sinclair/typebox';
import { type ConfigDocument, PricingEntry, PricingTierEntry } from './config.ts';
import { AppliedConfig } from './config-revisions.ts';
import { flag, listOf, named, oneOf, orNull, type Shape, text } from './shape.ts';

const KEY_STATES = ['usable', 'refused', 'limited'] as const;

export const VendorView = Type.Object(
  {
    name: text('The name of the preset, as `provider add` takes it.'),
    title: text('A name for people.'),
    protocol: text('The wire format that it speaks.'),
    baseUrl: orNull(text('The base URL; `{name}` is replaced by that setting.')),
    keyVariable: orNull(text('The environment variable that its own tools read the key from.')),
    isKeyNeeded: flag('False for servers that take calls without one.'),
    settings: Type.Record(Type.String(), Type.String(), { description: 'Further settings that it needs, by name.' }),
    hasModelList: flag('False: models are offered from the price book, or named by hand.'),
    dataCollection: text('Whether it may keep or use what is sent: allow or deny.'),
    quirks: listOf(Type.String(), 'Peculiarities of the vendor.'),
    documentation: text('Where its own documentation is.'),
    source: text('Where these facts are from.'),
    written: text('When they were written down.'),
  },
  named('Vendor'),
);
export type VendorView = Shape<typeof VendorView>;

export const VendorList = Type.Object({ data: listOf(VendorView) }, named('VendorList'));
export type VendorList = Shape<typeof VendorList>;

const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description: `text of at most ${maxLength} characters` });

const connectFields = {
  preset: line(60),
  name: Type.Optional(line(64)),
  baseUrl: Type.Optional(line(2000)),
  apiKey: Type.Optional(line(4000)),
  settings: Type.Optional(Type.Record(Type.String(), line(20_000), { description: 'text by name' })),
  models: Type.Optional(
    Type.Array(line(200), { maxItems: 5_000, description: 'a list of ids, or of the vendor’s names' }),
  ),
};

/** The body of `POST /admin/v1/providers/discover`. */
export const DiscoverBody = Type.Object(connectFields, named('DiscoverModels'));

/** The body of `POST /admin/v1/providers`. */
export const ConnectBody = Type.Object(
  {
    ...connectFields,
    all: Type.Optional(Type.Boolean({ description: 'true or false' })),
    test: Type.Optional(Type.Boolean({ description: 'true or false' })),
    note: Type.Optional(line(500)),
    author: Type.Optional(line(100)),
  },
  named('ConnectProvider'),
);

const refusal = orNull(
  Type.Object({
    reason: text('One of key, network, region, quota, model, request, vendor.'),
    message: text('A text for people.'),
  }),
);

export const OfferView = Type.Object(
  {
    id: text('The id that the model would have here.'),
    upstreamModel: text("The vendor's name for it."),
    title: text('A name for people.'),
    isPriced: flag('False: calls of it would be refused until it has a price.'),
    priceSource: orNull(text('Where the price is from: `book`, `vendor`, or `own machine`.')),
    pricing: orNull(PricingEntry),
    pricingTiers: listOf(PricingTierEntry),
    skip: orNull(text('Why the gateway cannot use the model; null when it can.')),
    notes: listOf(Type.String()),
    isLive: flag('It is in the catalog already, with a route to this provider.'),
  },
  named('Offer'),
);
export type OfferView = Shape<typeof OfferView>;

/** The answer to `POST /admin/v1/providers/discover`. */
export const DiscoveryAnswer = Type.Object(
  { name: text("The provider's name."), refusal, offers: listOf(OfferView) },
  named('Discovery'),
);
export type DiscoveryAnswer = Shape<typeof DiscoveryAnswer>;

/** The answer to `POST /admin/v1/providers`. */
export const ConnectedAnswer = Type.Object(
  {
    ...AppliedConfig.properties,
    provider: text("The provider's name."),
    models: listOf(OfferView, 'The models that were chosen.'),
    unpriced: listOf(Type.String(), 'Models that were left out because no price is known.'),
    offered: Type.Integer({ description: 'How many the vendor offers.' }),
    simulatedModels: Type.Integer({ description: 'How many models are still answered by the simulator.' }),
  },
  named('ConnectedProvider'),
);
export type ConnectedAnswer = Omit<Shape<typeof ConnectedAnswer>, 'config'> & Readonly<{ config: ConfigDocument }>;

const ProviderKeyView = Type.Object(
  {
    name: text('The name of the key; the first key is `main`.'),
    hint: text('The last characters of the key.'),
    weight: Type.Integer({
      description: 'The share of calls that the key gets, relative to the other keys; 0 for a spare key.',
    }),
    state: oneOf(
      KEY_STATES,
      '`refused` and `limited` keys are not used for a while; as the answering process sees it.',
    ),
    backInSeconds: orNull(
      Type.Integer({ description: 'After how many seconds a key that is not used is used again.' }),
    ),
    limitedModels: listOf(Type.String(), "The vendor's names of the models that it is limited for."),
  },
  named('ProviderKey'),
);
export type ProviderKeyView = Shape<typeof ProviderKeyView>;

/** The body of `PUT /admin/v1/providers/{name}/keys/{key}`. */
export const ProviderKeyBody = Type.Object(
  {
    apiKey: Type.Optional(line(4000)),
    weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, description: 'a whole number from 0 to 1000' })),
    test: Type.Optional(Type.Boolean({ description: 'true or false' })),
    note: Type.Optional(line(500)),
    author: Type.Optional(line(100)),
  },
  named('SetProviderKey'),
);

export const ProviderView = Type.Object(
  {
    name: text('The name of the provider.'),
    preset: orNull(text("The vendor's preset, where it is known.")),
    title: orNull(text('The vendor, for people.')),
    protocol: text('The wire format that it speaks.'),
    baseUrl: text('The base URL.'),
    hasKey: flag('Whether a key is stored.'),
    keys: listOf(ProviderKeyView),
    isSimulated: flag('Answers come from the simulator.'),
    models: Type.Integer({ description: 'How many models have a route to it.' }),
    unpricedModels: listOf(Type.String(), 'Those of them that cannot be called, because they have no price.'),
  },
  named('Provider'),
);
export type ProviderView = Shape<typeof ProviderView>;

export const ProviderList = Type.Object({ data: listOf(ProviderView) }, named('ProviderList'));
export type ProviderList = Shape<typeof ProviderList>;

/** The answer to `POST /admin/v1/providers/{name}/test`. */
export const ProviderTestAnswer = Type.Object(
  {
    name: text("The provider's name."),
    preset: orNull(text("The vendor's preset, where it is known.")),
    ok: flag('True: all checks passed.'),
    checks: listOf(
      Type.Object({
        name: text('One of models, answer.'),
        ok: flag('True: this check passed.'),
        reason: orNull(text('One of key, network, region, quota, model, request, vendor.')),
        message: text('A text for people.'),
      }),
    ),
    gone: listOf(Type.String(), 'Models here that the provider does not list any more.'),
    otherPrices: listOf(
      Type.Object({ model: text('Its id.'), message: text('Both prices, in words.') }),
      'Models whose price here is not that of the price book.',
    ),
  },
  named('ProviderTest'),
);
export type ProviderTestAnswer = Shape<typeof ProviderTestAnswer>;

const PriceView = Type.Object(
  {
    vendor: text("The preset, or the price book's name for a vendor."),
    model: text("The price book's name for it."),
    title: orNull(text('A name for people.')),
    contextLength: orNull(Type.Integer()),
    isDeprecated: flag('The vendor is retiring it.'),
    pricing: PricingEntry,
    pricingTiers: listOf(PricingTierEntry),
    unbilled: listOf(Type.String(), 'What else the vendor bills, in the words of the price book.'),
  },
  named('BookPrice'),
);

/** The answer to `GET /admin/v1/prices`. */
export const PricesAnswer = Type.Object(
  {
    source: text('Where the price book is from.'),
    fetchedAt: orNull(text('When it was fetched; null for the one that is shipped.')),
    prices: listOf(PriceView, 'What vendors charge for the model.'),
    live: listOf(
      Type.Object({
        model: text('The id of a model here.'),
        pricing: orNull(PricingEntry),
        pricingTiers: listOf(PricingTierEntry),
        priceSource: orNull(text('Where the prices are from: `book` or `vendor`; null where an operator typed them.')),
        changedBy: orNull(text('Who changed its prices last, when and in which revision.')),
      }),
      'What it costs here.',
    ),
  },
  named('Prices'),
);
export type PricesAnswer = Shape<typeof PricesAnswer>;

/** The answer to `POST /admin/v1/prices/update`. */
export const PriceUpdateAnswer = Type.Object(
  {
    ...AppliedConfig.properties,
    source: text('Where the price book is from.'),
    fetchedAt: orNull(text('When it was fetched; null for the one that is shipped.')),
    problem: orNull(text('Why no newer prices could be fetched; null when they were. The known prices were used.')),
    jumps: listOf(Type.String(), 'Prices that change by a factor of two or more, in words.'),
    typed: listOf(Type.String(), 'Models and routes whose own prices differ from the price book; they are left alone.'),
  },
  named('PriceUpdate'),
);
export type PriceUpdateAnswer = Omit<Shape<typeof PriceUpdateAnswer>, 'config'> & Readonly<{ config: ConfigDocument }>;

/** The answer to `GET /admin/v1/prices/findings`. */
export const PriceFindingsAnswer = Type.Object(
  {
    findings: listOf(
      Type.Object({
        model: text('Its id; `price book` for trouble with the price book itself.'),
        kind: text('One of unpriced, below cost, unit slip, outdated, unreadable.'),
        message: text('A text for people.'),
      }),
    ),
  },
  named('PriceFindings'),
);
export type PriceFindingsAnswer = Shape<typeof PriceFindingsAnswer>;
