import { isRefusal } from '@twinyard/conventions';

/** What a group holds at most; a member that is heavier than `weight` is a group of its own. */
export interface GroupBounds {
  readonly members: number;
  /** In bytes. */
  readonly weight: number;
}

/** How one member of a group ended. */
export type Outcome<R> = PromiseSettledResult<R>;

/** Thrown by a commit of several when one of them failed: the others are then done without it. */
export class FailedMember extends Error {
  constructor(readonly index: number, override readonly cause: unknown) {
    super('A member of a group failed');
  }
}

interface Member<W, R> {
  readonly work: W;
  readonly weight: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: work of one name is done one group after the other, each group in one transaction. What comes in while a group is under way
 * waits, and makes up the next, in the order in which it came. Work that comes alone starts at once.
 *
 * `commit` resolves once all of a group is durable, with the outcome of each member in their order. When it rejects with `FailedMember` or a
 * refusal, nothing of the group was done, and it is done again in parts, in the same order: with `FailedMember` those before the one that failed,
 * that one alone, and the rest; else one half and the other, until the bad one is alone. After any other error it may have been done, so all hear of it.
 */
export class GroupCommit<W, R> {
  private readonly waiting = new Map<string, Member<W, R>[]>();
  private readonly underWay = new Map<string, number>();

  constructor(
    private readonly bounds: GroupBounds,
    private readonly commit: (works: readonly W[]) => Promise<readonly Outcome<R>[]>,
  ) {}

  run(name: string, work: W, weight: number): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const member = { work, weight, resolve, reject };
      const queue = this.waiting.get(name);
      if (queue) queue.push(member);
      else void this.drain(name, [member]);
    });
  }

  /** How much of a name has come and not ended. */
  pending(name: string): number {
    return (this.waiting.get(name)?.length ?? 0) + (this.underWay.get(name) ?? 0);
  }

  private async drain(name: string, queue: Member<W, R>[]): Promise<void> {
    this.waiting.set(name, queue);
    while (queue.length > 0) {
      const group = this.next(queue);
      this.underWay.set(name, group.length);
      await this.finish(group);
    }
    this.waiting.delete(name);
    this.underWay.delete(name);
  }

  /** As many as the bounds let, and one in any case. */
  private next(queue: Member<W, R>[]): Member<W, R>[] {
    let weight = 0;
    const size = queue.findIndex((member, index) => {
      weight += member.weight;
      return index > 0 && (index >= this.bounds.members || weight > this.bounds.weight);
    });
    return queue.splice(0, size === -1 ? queue.length : size);
  }

  private async finish(group: readonly Member<W, R>[]): Promise<void> {
    try {
      const outcomes = await this.commit(group.map(({ work }) => work));
      for (const [index, member] of group.entries()) settle(member, outcomes[index]);
    } catch (error) {
      const isUndone = error instanceof FailedMember || isRefusal(error);
      if (group.length === 1 || !isUndone) for (const { reject } of group) reject(error instanceof FailedMember ? error.cause : error);
      else for (const part of partsOf(group, error)) await this.finish(part);
    }
  }
}

function partsOf<M>(group: readonly M[], error: unknown): (readonly M[])[] {
  const [from, to] = error instanceof FailedMember ? [error.index, error.index + 1] : [group.length >> 1, group.length >> 1];
  return [group.slice(0, from), group.slice(from, to), group.slice(to)].filter((part) => part.length > 0);
}

function settle<W, R>({ resolve, reject }: Member<W, R>, outcome: Outcome<R> | undefined): void {
  if (outcome?.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome?.reason ?? new Error('A member of a group has no outcome'));
}
