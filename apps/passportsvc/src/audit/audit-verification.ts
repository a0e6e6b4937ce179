import { type AuditEntry, type ChainHead, EMPTY_CHAIN, hashOf } from './audit-chain';

/** Where a chain is not what it was. `sequence`: of the entry, or of the place where one should be. */
export interface Fault {
  readonly namespace: string;
  readonly sequence: number;
  readonly issue: string;
}

/** A head that an operator kept elsewhere. */
export interface Anchor extends ChainHead {
  readonly namespace: string;
}

export interface ChainToVerify {
  readonly namespace: string;
  readonly head: ChainHead | undefined;
  readonly anchors: readonly Anchor[];
  /** In the order of their numbers. */
  readonly batches: AsyncIterable<readonly AuditEntry[]>;
}

/** Walks a chain from its first entry; resolves with its first fault. */
export async function findFault({ namespace, head, anchors, batches }: ChainToVerify): Promise<Fault | undefined> {
  let last = EMPTY_CHAIN;
  const expected = new Map(anchors.map(({ sequence, hash }) => [sequence, hash]));
  for await (const batch of batches) {
    for (const entry of batch) {
      const issue = issueOf(entry, last, expected.get(entry.sequence));
      if (issue !== undefined) return { namespace, sequence: Math.min(entry.sequence, last.sequence + 1), issue };
      last = { sequence: entry.sequence, hash: entry.hash };
    }
  }
  const issue = issueOfEnd(last, head, Math.max(0, ...anchors.map(({ sequence }) => sequence)));
  return issue === undefined ? undefined : { namespace, sequence: last.sequence + 1, issue };
}

function issueOf(entry: AuditEntry, last: ChainHead, anchored: string | undefined): string | undefined {
  if (entry.sequence !== last.sequence + 1) return `entries are missing: after ${last.sequence} comes ${entry.sequence}`;
  if (entry.previousHash !== last.hash) return 'does not follow the entry before it: that one, or this one, is another than was written';
  if (hashOf(entry) !== entry.hash) return 'its fields are not those that were written';
  if (anchored !== undefined && anchored !== entry.hash) return 'its hash is not the one that was kept elsewhere: the chain was written anew';
  return undefined;
}

function issueOfEnd(last: ChainHead, head: ChainHead | undefined, anchored: number): string | undefined {
  if (last.sequence < anchored) return `the chain ends before the place that was kept elsewhere, ${anchored}`;
  if (head === undefined) return last.sequence === 0 ? undefined : 'the chain has lost its head';
  if (last.sequence < head.sequence) return `entries are missing at the end: the chain had ${head.sequence}`;
  if (last.sequence > head.sequence) return `entries were put behind the end: the chain had ${head.sequence}`;
  return last.hash === head.hash ? undefined : 'the head is not the last entry';
}
