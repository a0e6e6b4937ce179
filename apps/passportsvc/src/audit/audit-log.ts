import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { type AuditActor, type AuditFact, type AuditNote, toNotes } from './audit-fact';
import { AuditPendingRepository } from './audit-pending.repository';

/** Who did what: told in the transaction that does it, so that both are there or neither. */
@Injectable()
export class AuditLog {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly pending: AuditPendingRepository) {}

  /**
   * Call it for what no resource event tells: those reach the log by themselves. It waits for nobody and nobody waits for it,
   * at any place in the transaction.
   */
  async record(tx: TypeOrmTx, by: RequestContext | AuditActor, ...facts: readonly AuditFact[]): Promise<void> {
    const at = new Date();
    await this.append(tx, facts.flatMap((fact) => toNotes(by, fact, at)));
  }

  async append(tx: TypeOrmTx, notes: readonly AuditNote[]): Promise<void> {
    if (notes.length === 0) return;
    await this.pending.insert(tx, notes);
    for (const listener of this.listeners) listener();
  }

  /** Told of every append, before its commit. */
  onAppend(listener: () => void): void {
    this.listeners.push(listener);
  }
}
