/** The attackers' process: told the scene by a message, it does its worst until it is told to stop. Asked for the tally, and at its end, it says what it was answered. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Attacker, tallyOf } from './attacker';
import { ATTACKS } from './attacks/table';
import type { Scene } from './scene';

/** Attackers bring machines of their own: here theirs is not to be taken from the platform's. */
const LEAST_PRIORITY = 19;

function giveWay(): void {
  setPriority(LEAST_PRIORITY);
  try {
    // Linux shares processors among sessions first, and only then among the processes of one: sched(7), "The autogroup feature".
    writeFileSync('/proc/self/autogroup', String(LEAST_PRIORITY));
  } catch {
    // A kernel without it goes by the priority of the process.
  }
}

async function attack(scene: Scene, only: readonly string[]): Promise<void> {
  giveWay();
  const end = new AbortController();
  const attackers = Object.fromEntries(only.filter((name) => Object.hasOwn(ATTACKS, name)).map((name) => [name, new Attacker(scene, end.signal)]));
  const told = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  process.on('message', (word) => {
    if (word === 'end') end.abort();
    else process.send?.({ tally: tallyOf(attackers) });
  });
  process.once('disconnect', () => end.abort());
  process.send?.({ begun: true });
  // One that cannot go on is an attack that is not made: it is told like an answer.
  const made = Object.entries(attackers).map(([name, attacker]) => ATTACKS[name]?.work(attacker).catch((error: unknown) => attacker.count(`failed: ${String(error)}`)));
  await Promise.all([told, ...made]);
  const tally = tallyOf(attackers);
  await Promise.all(Object.values(attackers).map((attacker) => attacker.close()));
  process.send?.({ tally }, () => process.exit(0));
}

process.once('message', ({ scene, only }: { scene: Scene; only: string[] }) => void attack(scene, only));
