import { ANYWHERE, ATTACKS } from './attacks/table';
import type { Tally } from './scene';

/** What is wrong with attacks by these names that heard so much: those that did not get where they aim, and answers that no attack should get. */
export const shortcomings = (names: readonly string[], tally: Tally): string[] => names.flatMap((name) => shortcomingsOf(name, tally[name] ?? {}));

function shortcomingsOf(name: string, heard: Readonly<Record<string, number>>): string[] {
  const attack = ATTACKS[name];
  if (attack === undefined) return [`${name}: there is no such attack`];
  const { reached, also = [] } = attack;
  const timesOf = (answers: readonly string[]) => Object.entries(heard).reduce((sum, [what, times]) => (begins(what, answers) ? sum + times : sum), 0);
  const missed = reached.map(([least, ...answers]) => ({ least, answers, times: timesOf(answers) })).filter(({ least, times }) => times < least);
  const known = [...reached.flatMap(([, ...answers]) => answers), ...also, ...ANYWHERE];
  return [
    ...missed.map(({ least, answers, times }) => `${name} did not get where it aims: "${answers.join('" or "')}" came ${times} times, not ${least}; it heard ${JSON.stringify(heard)}`),
    ...Object.entries(heard).filter(([what]) => !begins(what, known)).map(([what, times]) => `${name}: "${what}" came ${times} times, and nobody expects it`),
  ];
}

const begins = (what: string, answers: readonly string[]) => answers.some((answer) => what.startsWith(answer));
