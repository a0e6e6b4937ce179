import { Injectable } from '@nestjs/common';
import { unavailable } from '@twinyard/conventions';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FilesRepository } from './files.repository';

/** What a change needs held still: the trees of these namespaces, by itself alone or together with others that move nothing. */
export interface TreeHold {
  readonly namespaces: readonly string[];
  readonly mode: 'shared' | 'alone';
}

class NotHeld extends Error {
  constructor(readonly needed: TreeHold) {
    super('more has to be held');
  }
}

/** What is held only grows, and namespaces are few. */
const MAX_TRIES = 10;

/**
 * Transactions under locks of trees. These come before the locks of records, and what has to be locked follows from the records: so
 * `work` is begun by what they looked like, says what it needs once it has them, and is begun anew when that is more.
 */
@Injectable()
export class LockedTrees {
  constructor(
    private readonly files: FilesRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async run<R>(expected: TreeHold, work: (tx: TypeOrmTx, hold: (needed: TreeHold) => void) => Promise<R>): Promise<R> {
    let held = expected;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      try {
        return await this.unitOfWork.run(async (tx) => {
          await this.files.lockTrees(tx, held.namespaces, held.mode);
          return work(tx, (needed) => requireHeld(held, needed));
        });
      } catch (error) {
        if (!(error instanceof NotHeld)) throw error;
        held = both(held, error.needed);
      }
    }
    throw unavailable('Others are moving this all the time');
  }
}

function requireHeld(held: TreeHold, needed: TreeHold): void {
  const isHeld = needed.namespaces.every((name) => held.namespaces.includes(name)) && (held.mode === 'alone' || needed.mode === 'shared');
  if (!isHeld) throw new NotHeld(needed);
}

const both = (one: TreeHold, other: TreeHold): TreeHold => ({
  namespaces: [...new Set([...one.namespaces, ...other.namespaces])],
  mode: one.mode === 'alone' || other.mode === 'alone' ? 'alone' : 'shared',
});
