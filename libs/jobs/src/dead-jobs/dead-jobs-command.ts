import { parseArgs } from 'node:util';
import type { JobFilter, JobStore } from '../store/job-store';

export const USAGE = `Background jobs of a service.

  jobs list [--kind <kind>] [--namespace <namespace>] [--job <id>]
  jobs dead [--kind <kind>] [--namespace <namespace>] [--job <id>]
  jobs retry --kind <kind> | --namespace <namespace> | --job <id> | --all
  jobs drop --kind <kind> | --namespace <namespace> | --job <id> | --all
  jobs figures

The first prints those that run, and then those that wait, the longest due first; the second the latest that were given up, with
their cause. retry has those done again, with all their attempts, drop removes them for good: neither touches one that runs or
waits. figures counts what is queued, running and dead of each kind, up to 10,000 each. The database is DATABASE_URL or MONGO_URL,
with the settings of the service.
`;

/** What is printed at most. */
const LISTED = 500;

const QUESTIONS = new Map<string, (store: JobStore, filter: JobFilter) => Promise<readonly object[]>>([
  ['list', (store, filter) => store.list(filter, LISTED)],
  ['dead', (store, filter) => store.dead(filter, LISTED)],
  ['figures', (store) => store.statistics()],
]);

const retry = async (store: JobStore, filter: JobFilter) => `${await store.replay(filter)} jobs will be done again`;

const CHANGES = new Map<string, (store: JobStore, filter: JobFilter) => Promise<string>>([
  ['retry', retry],
  // As it was called before.
  ['replay', retry],
  ['drop', async (store, filter) => `${await store.drop(filter)} jobs were removed`],
]);

/** Runs the command; resolves with its exit code. Whoever means all of them has to say so. */
export async function runJobsCommand([command = '', ...args]: readonly string[], store: JobStore, print: (line: string) => void): Promise<number> {
  const { filter, isMeant } = filterOf(args);
  const ask = QUESTIONS.get(command);
  const change = isMeant ? CHANGES.get(command) : undefined;
  if (ask !== undefined) for (const answer of await ask(store, filter)) print(JSON.stringify(answer));
  else print(change === undefined ? USAGE : await change(store, filter));
  return ask === undefined && change === undefined ? 2 : 0;
}

function filterOf(args: readonly string[]): { readonly filter: JobFilter; readonly isMeant: boolean } {
  const { values } = parseArgs({ args: [...args], options: { kind: { type: 'string' }, namespace: { type: 'string' }, job: { type: 'string' }, all: { type: 'boolean' } } });
  const { kind, namespace, job: id, all } = values;
  const filter: JobFilter = { ...(kind && { kind }), ...(namespace && { namespace }), ...(id && { id }) };
  return { filter, isMeant: all === true || Object.keys(filter).length > 0 };
}
