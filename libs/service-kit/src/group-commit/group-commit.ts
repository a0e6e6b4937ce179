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
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<W, R> {
  readonly members: Member<W, R>[];
  weight: number;
}

/**
 * Group commit: work of one name is done one group after the other, each group in one transaction. What comes in while a group is under way
 * waits, and makes up the next, in the order in which it came; the first of a group leads it. Work that comes alone starts at once.
 *
 * `commit` resolves once all of a group is durable, with the outcome of each member in their order. When it rejects with `FailedMember` or a
 * refusal, nothing of the group was done, and it is done again in parts, in the same order: with `FailedMember` those before the one that failed,
 * that one alone, and the rest; else one half and the other, until the bad one is alone. After any other error it may have been done, so all hear of it.
 */
export class GroupCommit<W, R> {
  /** Of a name that is worked on: the groups that wait, of which only the last may grow. */
  private readonly waiting = new Map<string, Group<W, R>[]>();
  private readonly underWay = new Map<string, number>();

  constructor(
    private readonly bounds: GroupBounds,
    private readonly commit: (works: readonly W[]) => Promise<readonly Outcome<R>[]>,
  ) {}

  /** `onFollow`: called, before this returns, where the work waits in a group that other work leads. There is one leader of each group, and a group is bounded. */
  run(name: string, work: W, weight: number, onFollow?: () => void): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const member = { work, resolve, reject };
      const groups = this.waiting.get(name);
      if (groups === undefined) void this.drain(name, { members: [member], weight });
      else if (this.hasJoined(groups, member, weight)) onFollow?.();
    });
  }

  /** How much of a name has come and not ended. */
  pending(name: string): number {
    const waiting = this.waiting.get(name) ?? [];
    return waiting.reduce((sum, { members }) => sum + members.length, this.underWay.get(name) ?? 0);
  }

  /** False: it leads a group of its own. */
  private hasJoined(groups: Group<W, R>[], member: Member<W, R>, weight: number): boolean {
    const last = groups.at(-1);
    if (last === undefined || last.members.length >= this.bounds.members || last.weight + weight > this.bounds.weight) {
      groups.push({ members: [member], weight });
      return false;
    }
    last.members.push(member);
    last.weight += weight;
    return true;
  }

  private async drain(name: string, first: Group<W, R>): Promise<void> {
    const groups = [first];
    this.waiting.set(name, groups);
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      this.underWay.set(name, group.members.length);
      await this.finish(group.members);
    }
    this.waiting.delete(name);
    this.underWay.delete(name);
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
