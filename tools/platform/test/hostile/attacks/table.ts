import type { Attacker } from '../attacker';
import { randomCredentials, stalledBodies, stalledHeads, unreadAnswers } from './lines';
import { costlyAggregates, hungryScripts, largePages, manyExpressions, manyValues } from './questions';
import { bulksOfKeys, drippingReceiver, manyImports, manyUploads } from './writes';

/** So often at least one of these has to have come: answers by how their words begin (`inWords`), or what the attack itself has seen. */
export type Reached = readonly [least: number, ...answers: string[]];

export interface Attack {
  readonly work: (attacker: Attacker) => Promise<void>;
  /** What shows that it got where it aims: the drill goes on until it has come, since who has the least priority gets little of a busy machine. */
  readonly reached: readonly Reached[];
  /** What it may be answered besides, beside `ANYWHERE`. */
  readonly also?: readonly string[];
}

type Attacks = Readonly<Record<string, Attack>>;

/** A share that is taken, a line that was too slow for its machine, or was cut. */
export const ANYWHERE = ['408', '429', '503', 'broken', 'closed'] as const;

/** What a store says that has worked as long as it may. */
const TOO_SLOW = '400 query_too_slow';

export const ON_LINES: Attacks = {
  stalledBodies: { work: stalledBodies, reached: [[128, 'opened'], [32, '408 invalid_request: The body of the request']] },
  stalledHeads: { work: stalledHeads, reached: [[128, 'opened'], [32, '408 request_timeout: The head of the request']] },
  unreadAnswers: { work: unreadAnswers, reached: [[2, '200'], [1, 'cut']], also: ['opened'] },
  randomCredentials: { work: randomCredentials, reached: [[20, '401 unauthenticated']] },
  hungryScripts: { work: hungryScripts, reached: [[3, '204'], [3, 'script: The script needs too much memory']], also: ['200', 'script: '] },
  manyUploads: { work: manyUploads, reached: [[20, '201']] },
  drippingReceiver: { work: drippingReceiver, reached: [[3, 'webhook received'], [1, 'webhook let go']], also: ['201'] },
};

export const IN_BODIES: Attacks = {
  largePages: { work: largePages, reached: [[2, '200 page cut']] },
  // Without rows nothing was searched: the collection is not there for who asks.
  manyExpressions: { work: manyExpressions, reached: [[3, '200 rows', TOO_SLOW, '400 limit_exceeded: The regular expressions']] },
  manyValues: { work: manyValues, reached: [[3, '200 rows', TOO_SLOW]] },
  costlyAggregates: { work: costlyAggregates, reached: [[3, '200 rows', TOO_SLOW, '400 limit_exceeded: The pipeline needs', '400 limit_exceeded: What is asked for weighs']] },
  bulksOfKeys: { work: bulksOfKeys, reached: [[2, '400 invalid: body: holds an object of more than']] },
  manyImports: { work: manyImports, reached: [[2, '202'], [1, 'rows written']], also: ['200'] },
};

export const ATTACKS: Attacks = { ...ON_LINES, ...IN_BODIES };

/** One of each kind: lines, credentials, scripts, pages, costly questions, receivers, aggregates. */
export const ONE_OF_EACH = ['stalledBodies', 'randomCredentials', 'hungryScripts', 'largePages', 'manyExpressions', 'drippingReceiver', 'costlyAggregates'];
