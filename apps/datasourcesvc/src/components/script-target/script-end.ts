import { invalid, isNestedDeeper, MAX_BODY_LEVELS, refuseBrokenText, unavailable } from '@twinyard/conventions';
import { placeOf, type ScriptOutcome, type ScriptPlace, syntaxFaultOf } from '@twinyard/scripts';

/** What a script has returned, if that can be kept. `timeMs`: in which it might run. @throws ServiceError `invalid`, with what its author has to know: it is refused for good */
export function resultOf(outcome: ScriptOutcome, timeMs: number): unknown {
  switch (outcome.kind) {
    case 'returned': return storable(outcome.result);
    case 'threw': throw invalid(outcome.said.trim() === '' ? `${outcome.message.trim()}${place(outcome.at)}` : `${outcome.said}${place(outcome.at)}`);
    case 'unusable': throw invalid(faultOf(outcome) ?? outcome.message);
    case 'stopped': throw invalid(outcome.limit === 'time' ? `${outcome.message}: it may run for ${timeMs / 1_000} s` : outcome.message);
    // Whoever cancelled it no longer waits for this.
    case 'cancelled': throw unavailable(outcome.message);
  }
}

const place = (at: ScriptPlace | undefined) => (at === undefined ? '' : ` (${placeOf(at)})`);

/** Of a script that does not parse: what is wrong, with line and column. */
export function faultOf(outcome: ScriptOutcome): string | undefined {
  const fault = syntaxFaultOf(outcome);
  return fault && `The script ${fault}`;
}

function storable(result: unknown): unknown {
  if (isNestedDeeper(result, MAX_BODY_LEVELS)) throw invalid(`The result of the script is nested deeper than ${MAX_BODY_LEVELS} levels`);
  refuseBrokenText(result, 'The result of the script');
  return result ?? null;
}
