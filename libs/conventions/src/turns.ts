/** How long long work keeps the event loop before it lets others have their turn. */
const TURN_MS = 5;

/** A step that cannot be cut (a text of megabytes) and took longer, even where the processor has others too, is followed by a rest as long as it was: whoever needs ten rounds of the event loop waits for one or two such steps, not for ten. */
const LONG_STEP_MS = 5 * TURN_MS;
/** That the machine stood still during a step is no reason to rest as long. */
const LONGEST_REST_MS = 250;

/** Long work of whoever it is, in the order in which it has stopped: in each round of the event loop one goes on, so that requests wait for one turn and not for those of all. */
const line: (() => void)[] = [];

let isUnderWay = false;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (!isUnderWay) goOn();
  });
}

function goOn(): void {
  isUnderWay = line.length > 0;
  if (!isUnderWay) return;
  let began = 0;
  setImmediate(() => {
    began = performance.now();
    line.shift()?.();
  });
  // Runs when that one has stopped again, and before anybody else.
  setImmediate(() => rest(performance.now() - began));
}

function rest(stepMs: number): void {
  if (stepMs > LONG_STEP_MS) setTimeout(goOn, Math.min(stepMs, LONGEST_REST_MS));
  else goOn();
}

/** A turn of the event loop that long work takes: `if (turn.isOver) await turn.pass()` between its steps. */
export class Turn {
  private end = performance.now() + TURN_MS;

  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  /** Comes back when all that waited meanwhile has been done. */
  async pass(): Promise<void> {
    await nextTurn();
    this.end = performance.now() + TURN_MS;
  }
}

/** As `list.map(work)`, in as many turns as it takes. */
export async function mapInTurns<T, R>(list: readonly T[], work: (entry: T, index: number) => R, turn = new Turn()): Promise<R[]> {
  const results: R[] = [];
  for (const [index, entry] of list.entries()) {
    if (turn.isOver) await turn.pass();
    results.push(work(entry, index));
  }
  return results;
}

/** As `Promise.all(list.map(work))`, each behind the end of the one before it. */
export async function eachInTurn<T, R>(list: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const entry of list) results.push(await work(entry));
  return results;
}

/** Levels of lists and objects that are taken apart: a request and its body, so that what a body lists is a step each. */
const LEVELS = 2;

/** As `JSON.stringify` for what was JSON before, in as many turns as it takes. */
export async function jsonInTurns(value: unknown, turn = new Turn(), levels = LEVELS): Promise<string> {
  if (turn.isOver) await turn.pass();
  if (levels === 0 || value === null || typeof value !== 'object' || 'toJSON' in value) return wholeOf(value);
  return Array.isArray(value) ? listOf(value, turn, levels - 1) : objectOf(value, turn, levels - 1);
}

const wholeOf = (value: unknown) => JSON.stringify(value) ?? 'null';

async function listOf(list: readonly unknown[], turn: Turn, levels: number): Promise<string> {
  const texts: string[] = [];
  for (const entry of list) texts.push(await textOf(entry, turn, levels));
  return `[${texts.join(',')}]`;
}

async function objectOf(object: object, turn: Turn, levels: number): Promise<string> {
  const texts: string[] = [];
  for (const [name, member] of Object.entries(object)) {
    if (member !== undefined) texts.push(`${JSON.stringify(name)}:${await textOf(member, turn, levels)}`);
  }
  return `{${texts.join(',')}}`;
}

/** Most of what is listed is small: only what takes a while costs a promise. */
const textOf = (value: unknown, turn: Turn, levels: number): string | Promise<string> => (
  levels === 0 && !turn.isOver ? wholeOf(value) : jsonInTurns(value, turn, levels)
);
