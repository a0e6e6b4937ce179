import { setImmediate as turn } from 'node:timers/promises';
import { invalidField } from '@twinyard/conventions';

/** By which offsets the clocks of a zone go, each in ms and from its instant on. */
export interface ZoneTable {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly changes: readonly (readonly [at: number, offset: number])[];
}

const [FROM, TO] = [Date.UTC(1970, 0), Date.UTC(2100, 0)];
const STEP_MS = 14 * 86_400_000;
/** Of the IANA database, whose names are some hundreds; offsets such as `+01:00` are none. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const STEPS_IN_A_TURN = 100;

const tables = new Map<string, Promise<ZoneTable>>();

/** A sandbox has no zones of its own. The table is made once for each zone, which takes some hundredths of a second. @throws ServiceError `invalid` for one that nobody knows */
export function zoneTable(name: unknown): Promise<ZoneTable> {
  const format = typeof name === 'string' && NAME.test(name) ? formatOf(name) : undefined;
  if (format === undefined) return Promise.reject(invalidField('name', `There is no zone ${JSON.stringify(String(name).slice(0, 100))}`));
  const { timeZone } = format.resolvedOptions();
  const known = tables.get(timeZone) ?? tableOf(timeZone, format);
  tables.set(timeZone, known);
  return known;
}

async function tableOf(name: string, format: Intl.DateTimeFormat): Promise<ZoneTable> {
  const changes: [at: number, offset: number][] = [[FROM, offsetAt(FROM, format)]];
  for (let [at, step] = [FROM, 0]; at < TO; [at, step] = [at + STEP_MS, step + 1]) {
    const before = changes.at(-1)?.[1] ?? 0;
    const [until, offset] = [Math.min(at + STEP_MS, TO), offsetAt(Math.min(at + STEP_MS, TO), format)];
    if (offset !== before) changes.push([changeBetween(at, until, format), offset]);
    if (step % STEPS_IN_A_TURN === 0) await turn();
  }
  return { name, from: FROM, to: TO, changes };
}

/** The first instant at which clocks there go by another offset than at `from`; there is one until `to`. */
function changeBetween(from: number, to: number, format: Intl.DateTimeFormat): number {
  const offset = offsetAt(from, format);
  let [before, behind] = [from, to];
  while (behind - before > 1_000) {
    const middle = Math.floor((before + behind) / 2_000) * 1_000;
    if (offsetAt(middle, format) === offset) before = middle;
    else behind = middle;
  }
  return behind;
}

function offsetAt(at: number, format: Intl.DateTimeFormat): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - at;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const digits = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', year: digits, month: digits, day: digits, hour: digits, minute: digits, second: digits });
  } catch {
    return undefined;
  }
}
