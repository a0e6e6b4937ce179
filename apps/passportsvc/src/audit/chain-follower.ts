import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Loop } from '@twinyard/events';
import { LOGGER, type Logger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { type AuditEntry, chain, EMPTY_CHAIN } from './audit-chain';
import { AuditChainsRepository } from './audit-chains.repository';
import type { AuditNote } from './audit-fact';
import { AuditLog } from './audit-log';

const BATCH = 500;
/** Who records wakes the follower, so this is for what a process that died has left. */
const IDLE_MS = 5_000;
/** A commit follows the record that wakes the follower by a few milliseconds. */
const COMMIT_DELAY_MS = 5;

/**
 * Gives each recorded entry its place in the chain of its namespace. Chains grow here alone, so no writer holds a chain for the
 * length of its own transaction, and none waits for another or runs into a circle of waits with it.
 */
@Injectable()
export class ChainFollower implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: Loop;

  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly chains: AuditChainsRepository,
    private readonly log: AuditLog,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.loop = new Loop({
      step: () => this.step(),
      idleMs: IDLE_MS,
      eager: true,
      onError: (error, retryMs) => logger.warn({ err: error, retryMs }, 'audit entries could not be chained, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    this.log.onAppend(() => this.loop.wake(COMMIT_DELAY_MS));
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Chains one batch; resolves with its size. Nothing when another process is at it, which goes on until nothing is left. */
  async step(): Promise<number> {
    if (!(await this.unitOfWork.peek((tx) => this.chains.hasPending(tx)))) return 0;
    return this.unitOfWork.run(async (tx) => {
      if (!(await this.chains.lock(tx))) return 0;
      const pending = await this.chains.findPending(tx, BATCH);
      const notes = pending.filter(({ isChained }) => !isChained);
      const heads = await this.chains.findHeads(tx, [...new Set(notes.map(({ namespace }) => namespace))]);
      const grown = byNamespace(notes).map(([namespace, of]) => chain(heads.get(namespace) ?? EMPTY_CHAIN, of));
      await this.chains.append(tx, grown.flat(), grown.map((entries) => entries.at(-1) as AuditEntry));
      await this.chains.removePending(tx, pending.map(({ id }) => id));
      return pending.length;
    });
  }
}

function byNamespace(notes: readonly AuditNote[]): [string, AuditNote[]][] {
  const groups = new Map<string, AuditNote[]>();
  for (const note of notes) {
    const group = groups.get(note.namespace);
    if (group) group.push(note);
    else groups.set(note.namespace, [note]);
  }
  return [...groups];
}
