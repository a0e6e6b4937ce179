import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import type { PrincipalRef } from '../permissions/permissions.repository';
import { LastOwnerError, lastManager } from './last-owner';
import { OwnershipRepository } from './ownership.repository';

/** What one transaction may take from somebody. */
interface Watched {
  /** Whether a living user owned the namespace before. */
  readonly namespaces: Map<string, boolean>;
  readonly principals: PrincipalRef[];
  managers: boolean;
  waived: boolean;
}

/**
 * Keeps every namespace owned by somebody who can sign in (contract 0.4). A repository that takes a grant or a membership says so before
 * it does; `GrantFeed.commit` asks at the end, under the one lock that every change of rights commits under. So whoever is asked sees all
 * that was committed before it, and two owners who remove each other at once do so one after the other: the second is refused.
 */
@Injectable()
export class LivingOwners {
  private readonly watched = new WeakMap<SqlTx, Watched>();

  constructor(private readonly ownership: OwnershipRepository) {}

  /** A grant that makes owners is about to be taken back there. */
  async beforeLossIn(tx: SqlTx, namespaces: readonly string[]): Promise<void> {
    const { namespaces: known } = this.of(tx);
    const unknown = namespaces.filter((namespace) => !known.has(namespace));
    if (unknown.length === 0) return;
    // What had no owner before cannot lose its last one: else nobody could tidy up there.
    const ownerless = await this.ownership.ownerlessAmong(tx, unknown);
    for (const namespace of unknown) known.set(namespace, !ownerless.includes(namespace));
  }

  /** These are about to lose all that they hold, or somebody what a group holds. */
  async beforeLossOf(tx: SqlTx, ...principals: readonly PrincipalRef[]): Promise<void> {
    await this.beforeLossIn(tx, await this.ownership.ownedBy(tx, principals));
    this.of(tx).principals.push(...principals);
  }

  /** A platform manager is about to be shut out. */
  beforeLossOfManager(tx: SqlTx): void {
    this.of(tx).managers = true;
  }

  /**
   * An identity provider has the last word on its people: somebody who was dismissed is out, whatever it leaves to nobody. An operator
   * gives that to somebody else.
   */
  waive(tx: SqlTx): void {
    this.of(tx).waived = true;
  }

  isAsked(tx: SqlTx): boolean {
    return this.watched.has(tx);
  }

  /** @throws LastOwnerError when a namespace that was owned is not any more. */
  async require(tx: SqlTx): Promise<void> {
    const watched = this.watched.get(tx);
    if (watched === undefined || watched.waived) return;
    // What was granted to them meanwhile, by others, goes the same way.
    const grantedMeanwhile = await this.ownership.ownedBy(tx, watched.principals);
    const owned = [...new Set([...watched.namespaces.keys(), ...grantedMeanwhile])].filter((namespace) => watched.namespaces.get(namespace) !== false);
    const ownerless = owned.length === 0 ? [] : await this.ownership.ownerlessAmong(tx, owned);
    if (ownerless.length > 0) throw new LastOwnerError(ownerless);
    if (watched.managers && !(await this.ownership.hasPlatformManager(tx))) throw lastManager();
  }

  private of(tx: SqlTx): Watched {
    const watched = this.watched.get(tx) ?? { namespaces: new Map<string, boolean>(), principals: [], managers: false, waived: false };
    this.watched.set(tx, watched);
    return watched;
  }
}
