import type { QueryRunner } from 'typeorm';
import { type BatchConnection, GatheredStatements } from './gathered-statements';

const [BEGIN, COMMIT, ROLLBACK] = ['START TRANSACTION', 'COMMIT', 'ROLLBACK'];

/** The statements of a runner of TypeORM's, gathered. It goes by `query` with all that it says, of a transaction too. */
export function gather(runner: QueryRunner, nameOf: (text: string) => string): GatheredStatements {
  const plainly = runner.query.bind(runner) as QueryRunner['query'];
  const statements = new GatheredStatements({
    connect: async () => (await runner.connect()) as BatchConnection, rollBack: () => plainly(ROLLBACK), nameOf,
    log: (text, values) => runner.connection.logger.logQuery(text, [...values], runner),
  });
  const divert = (text: string): Promise<unknown> | undefined => {
    if (text === BEGIN) return Promise.resolve(statements.begin());
    if (text === COMMIT) return statements.commit();
    if (text === ROLLBACK) return statements.rollback();
    return undefined;
  };
  runner.query = ((text: string, ...rest: []) => divert(text) ?? statements.afterWaiting(() => plainly(text, ...rest))) as QueryRunner['query'];
  return statements;
}
