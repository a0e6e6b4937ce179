import { ANYWHERE, ATTACKS } from './attacks/table';
import type { Tally } from './scene';

/** What is wrong with attacks by these names that heard so much: those that did not get where they aim, and answers that no attack should get. */
export const shortcomings = (names: readonly string[], tally: Tally): string[] => names.flatMap((name) => shortcomingsOf(name, tally[name] ?? {}));

/** What these attacks have not got yet of what they aim at. */
export const missed = (names: readonly string[], tally: Tally): string[] => names.flatMap((name) => missedOf(name, tally[name] ?? {}));

type Heard = Readonly<Record<string, number>>;

function missedOf(name: string, heard: Heard): string[] {
  const timesOf = (answers: readonly string[]) => Object.entries(heard).reduce((sum, [what, times]) => (begins(what, answers) ? sum + times : sum), 0);
  const aims = (ATTACKS[name]?.reached ?? []).map(([least, ...answers]) => ({ least, answers, times: timesOf(answers) }));
  return aims.filter(({ least, times }) => times < least)
    .map(({ least, answers, times }) => `${name} did not get where it aims: "${answers.join('" or "')}" came ${times} times, not ${least}; it heard ${JSON.stringify(heard)}`);
}

function shortcomingsOf(name: string, heard: Heard): string[] {
  const attack = ATTACKS[name];
  if (attack === undefined) return [`${name}: there is no such attack`];
  const { reached, also = [] } = attack;
  const known = [...reached.flatMap(([, ...answers]) => answers), ...also, ...ANYWHERE];
  return [
    ...missedOf(name, heard),
    ...Object.entries(heard).filter(([what]) => !begins(what, known)).map(([what, times]) => `${name}: "${what}" came ${times} times, and nobody expects it`),
  ];
}

const begins = (what: string, answers: readonly string[]) => answers.some((answer) => what.startsWith(answer));
