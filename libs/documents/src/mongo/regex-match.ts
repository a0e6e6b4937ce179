import type { MongoConnection } from '@twinyard/service-kit';

/** UnrecognizedPipelineStage of `$documents`, which came with MongoDB 5.1, and InvalidPipelineOperator: what says so knows no newer expression either. */
const UNKNOWN: ReadonlySet<unknown> = new Set([40_324, 168]);

/** A document of the server's own making: an expression is looked at for documents alone, and a database may hold none. */
const QUESTION = [{ $documents: [{ text: 'a' }] }, { $match: { $expr: { $regexMatch: { input: '$text', regex: { $literal: 'a' } } } } }];

/** Whether a server knows `$regexMatch`. One that will not say, since it may not be asked this, is taken for MongoDB as it comes. */
export async function hasRegexMatch({ db }: Pick<MongoConnection, 'db'>): Promise<boolean> {
  try {
    return (await db.aggregate(QUESTION).toArray()).length > 0;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== 'number') throw error;
    return !UNKNOWN.has(code);
  }
}
