import { invalid, isNestedDeeper, MAX_BODY_LEVELS, refuseBrokenText, unavailable } from '@twinyard/conventions';
import type { ScriptOutcome, ScriptPlace } from '@twinyard/scripts';

/** What a script has returned, if that can be kept. `timeMs`: in which it might run. @throws ServiceError `invalid`, with what its author has to know: it is refused for good */
export function resultOf(outcome: ScriptOutcome, timeMs: number): unknown {
  switch (outcome.kind) {
    case 'returned': return storable(outcome.result);
    case 'threw': throw invalid(outcome.said.trim() === '' ? `${outcome.message.trim()}${placeOf(outcome.at)}` : `${outcome.said}${placeOf(outcome.at)}`);
    case 'unusable': throw invalid(syntaxFaultOf(outcome) ?? outcome.message);
    case 'stopped': throw invalid(outcome.limit === 'time' ? `${outcome.message}: it may run for ${timeMs / 1_000} s` : outcome.message);
    // Whoever cancelled it no longer waits for this.
    case 'cancelled': throw unavailable(outcome.message);
  }
}

/** Of a script that does not parse: what is wrong, with line and column. */
export function syntaxFaultOf(outcome: ScriptOutcome): string | undefined {
  if (outcome.kind !== 'unusable' || outcome.said === undefined) return undefined;
  const { at } = outcome;
  return `The script does not parse: ${outcome.said}${at ? placeOf(at).replace(/\)$/, `, column ${at.column})`) : ''}`;
}

/** ` (line 12)`, or ` (script:units, line 3)` */
function placeOf(at: ScriptPlace | undefined): string {
  if (at === undefined) return '';
  return ` (${at.module === undefined ? '' : `${at.module}, `}line ${at.line})`;
}

function storable(result: unknown): unknown {
  if (isNestedDeeper(result, MAX_BODY_LEVELS)) throw invalid(`The result of the script is nested deeper than ${MAX_BODY_LEVELS} levels`);
  refuseBrokenText(result, 'The result of the script');
  return result ?? null;
}
