/** What one step has done. */
export interface PurgeStep {
  /** Records removed, or taken out of the namespace; 0 when nothing of it is left. */
  readonly removed: number;
  /** Something is on its way out (a run that is being cancelled): to be asked again after this time. */
  readonly waitMs?: number;
}

/**
 * What a room keeps in namespaces, and how it lets go of it. Every provider of a service that extends this class is asked when a
 * namespace is purged:
 *
 *     @Injectable()
 *     export class TeamsPurge extends NamespacePurge {
 *       override readonly what = 'teams';
 *       override async removeSome(namespace: string, limit: number): Promise<PurgeStep> { … }
 *     }
 *
 * Steps are short transactions (MongoDB ends one after 60 s), may be repeated, and publish nothing about each record: the service says
 * once that it keeps nothing of the namespace any more.
 */
export abstract class NamespacePurge {
  /** For the log. */
  abstract readonly what: string;
  /** Removes about `limit` records; what lies in other namespaces too only leaves this one. */
  abstract removeSome(namespace: string, limit: number): Promise<PurgeStep>;
}
