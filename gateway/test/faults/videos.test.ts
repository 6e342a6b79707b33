// The rows of the fault matrix for orders of videos, which take several requests. An order that certainly was not taken
// goes to the next provider or is refused. An order whose answer is lost is looked for and never given to another
// provider. In every case a video that was made is paid for once, and one that was not costs nothing.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMPATIENT, type Json } from '../harness.ts';
import { QUICK, VideoBed, video } from '../videos/video-bed.ts';
import { FAULTS, type Fault, type Form } from './faults.ts';
import { type OtherServers, providerOf, providersOf, roleOf, startOtherServers } from './upstreams.ts';

type Variant = 'alone' | 'rescued';
type Cell = Readonly<{ id: string; fault: Fault; form: Form; variant: Variant }>;

const PRICE_USD = 0.4;
/** How far the clock is put forward, and how often at most, until everything has ended or expired. */
const STEP_MS = 200_000;
const STEPS_MAX = 12;
const LEAKS = /upstream-secret-key|simulat|127\.0\.0\.1|ECONN|undici/i;
/** An order that the provider may have taken, whatever its answer says. */
const LOST = /^(?:reset|close|garbage|stall|status-502|bad-json|cut-json|html|empty|short-body|endless|gzip-|cut-|eof)/;

/** Usage and frames of a stream mean nothing for an order, and faults that take seconds of computing are left out. */
const CELLS: readonly Cell[] = FAULTS.filter(({ id }) => !/^F(?:2[2-79]|3[0-3])$/.test(id)).flatMap((fault) =>
  fault.forms
    .filter(({ commands }) => !/^(?:bad-frame|error-frame)/.test(commands))
    .flatMap((form, index) =>
      (['alone', 'rescued'] as const).map((variant) => ({
        ...{ fault, form, variant },
        id: `${fault.id.toLowerCase()}-${index}-${variant}`,
      })),
    ),
);

let bed: VideoBed;
let others: OtherServers;
let key: string;

beforeAll(async () => {
  others = await startOtherServers();
  bed = await VideoBed.open({}, { start: { random: () => 0 } });
  const { simulator } = bed.harness;
  const document = await bed.harness.operate('GET', '/admin/v1/config');
  const providers = providersOf(['chat'], { simulatorUrl: simulator.url, ...others });
  const silent = providerOf('chat', 'silent');
  const models = CELLS.map((cell) => [`cells/${cell.id}`, { ...video('').entry, routes: routesOf(cell) }]);
  await bed.harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: { ...providers, [silent]: { ...(providers[silent] as Json), ...IMPATIENT } },
    models: Object.fromEntries(models),
  });
  ({ key } = await bed.harness.account(1_000));
});

afterAll(async () => {
  await bed.close();
  others.close();
});

function routesOf({ id, form, variant }: Cell): readonly object[] {
  const upstream_model = `${id}.sim-${[QUICK, form.commands].filter((text) => text !== '').join('+')}`;
  const faulty = { provider: providerOf('chat', roleOf(form.at, form.commands)), upstream_model };
  const well = { provider: providerOf('chat', 'well'), upstream_model: `${id}.well.sim-${QUICK}` };
  return variant === 'rescued' ? [faulty, well] : [faulty];
}

type Row = Readonly<{ id: string; status: string; phase: string }>;
const open = () => bed.rows<Row>("select id, status, phase from video_jobs where phase <> 'ended'");

const untilNobodyIsAtOne = () =>
  expect
    .poll(() =>
      bed.rows(
        "select id from video_jobs where phase <> 'ended' and (due_at = '-infinity' or leased_until <> '-infinity')",
      ),
    )
    .toEqual([]);

/** All providers are asked again and again until everything is over. */
async function untilOver(): Promise<void> {
  await untilNobodyIsAtOne();
  for (let step = 0; step < STEPS_MAX && (await open()).length > 0; step += 1) {
    bed.clock.move(STEP_MS);
    await bed.rows("update video_jobs set due_at = '-infinity' where phase <> 'ended' and leased_until = '-infinity'");
    await untilNobodyIsAtOne();
  }
}

const ordersOf = ({ id }: Cell, name: string): number =>
  bed.orders().filter(({ model }) => String(model).startsWith(`${id}.${name}`)).length;

test('VID-16 ROUTE-09 every fault of an order, alone and with another provider', async () => {
  const waiting = [...CELLS];
  const answers = new Map<Cell, Readonly<{ status: number; text: string; id: string }>>();
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const { status, text, body } = await bed.submit(key, { model: `cells/${cell.id}`, prompt: cell.id, duration: 4 });
      answers.set(cell, { status, text, id: String(body.id) });
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
  await untilOver();
  expect(await open()).toEqual([]);
  const problems: string[] = [];
  let made = 0;
  for (const cell of CELLS) {
    const { status, text, id } = answers.get(cell) ?? { status: 0, text: '', id: '' };
    const told = status === 202 ? (await bed.poll(key, id)).body : {};
    const isMade = told.status === 'completed';
    if (isMade) made += 1;
    const { fault, form, variant } = cell;
    const tell = (problem: string) =>
      problems.push(
        `${fault.id} ${form.at ?? form.commands}, ${variant}: ${problem} (${status} ${text.slice(0, 120)})`,
      );
    const isLost = form.at === undefined && LOST.test(form.commands);
    const ended = status === 202 ? String(told.status) : 'refused';
    if (LEAKS.test(text)) tell('its words leak');
    if (status !== 202 && status < 400) tell('neither taken nor refused');
    if (Number((told.usage as Json | undefined)?.cost ?? 0) !== (isMade ? PRICE_USD : 0)) tell(`${ended} and costs`);
    if (ordersOf(cell, 'well') > 0 && isLost) tell('ordered from somebody else though it may have been taken');
    if (ordersOf(cell, 'sim') > 1) tell('ordered twice');
    const outcome = form.whole.kind;
    if (outcome === 'served' && !isMade && !isLost) tell(`${ended} in place of a video`);
    if (outcome === 'failed' && !isLost && variant === 'rescued' && !isMade) tell(`${ended}, and nobody else made it`);
    if (outcome === 'failed' && !isLost && variant === 'alone' && ended !== 'refused')
      tell(`${ended} in place of a refusal`);
  }
  expect(problems).toEqual([]);
  expect(await bed.harness.spent(key)).toBeCloseTo(made * PRICE_USD, 9);
  expect(made).toBeGreaterThan(CELLS.length / 3);
  await bed.assertBalanced();
});
