import { invalidField, isUuid, listParameter, type QueryValues, repeatedParameter, textParameter } from '@twinyard/conventions';
import { isRunState, RUN_STATES } from './run-state';
import type { RunFilter } from './runs.repository';

export function parseRunFilter(query: QueryValues): RunFilter {
  const states = some(listParameter(query, '_status'));
  if (states?.some((state) => !isRunState(state))) throw invalidField('_status', `must be one of ${RUN_STATES.join(', ')}`);
  return {
    states,
    // What is no id names no orchestrator.
    orchestratorIds: some(listParameter(query, 'orchestratorId'))?.filter(isUuid),
    userTypes: some(repeatedParameter(query, '_usertype')),
    from: dateParameter(query, 'startDate'),
    to: dateParameter(query, 'endDate'),
  };
}

/** An empty parameter asks for nothing. */
function some(texts: readonly string[] | undefined): readonly string[] | undefined {
  const told = texts?.filter((text) => text !== '') ?? [];
  return told.length > 0 ? told : undefined;
}

/** Years 0 to 9999. */
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 253_402_300_799_999;

/** ISO 8601 or epoch milliseconds (contract 5). */
function dateParameter(query: QueryValues, name: string): Date | undefined {
  const text = textParameter(query, name)?.trim();
  if (!text) return undefined;
  // A `+` in a query string that was not encoded arrives as a space.
  const iso = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(text) ? Date.parse(text.replace(/ (\d{2}:?\d{2})$/, '+$1')) : Number.NaN;
  const ms = /^-?\d{1,15}$/.test(text) ? Number(text) : iso;
  if (ms >= EARLIEST_MS && ms <= LATEST_MS) return new Date(ms);
  throw invalidField(name, 'must be an ISO 8601 date or epoch milliseconds');
}
