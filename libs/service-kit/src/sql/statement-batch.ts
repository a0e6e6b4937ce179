import { type Connection, Query, type QueryResult, type Submittable } from 'pg';
import { columnValues } from './column-values';

export interface NamedStatement {
  /** Under which a connection keeps it, parsed and planned; empty: it is not kept. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What `pg` calls of a query of its own; its types tell only `submit`. */
interface AnsweredQuery extends Submittable {
  readonly name: string;
  readonly text: string;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

/** `pg` notes here which statements a connection keeps, and which it has been sent. */
interface KeepingConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** Its types do not know it. A simple query would be answered for itself alone. */
const EXTENDED = { queryMode: 'extended' };

/**
 * Statements that go to the server in one write and are answered in one: each is a query of `pg`, but the `Sync` behind it is sent once, after the
 * last. The server does them in this order, each with a look of its own at what is committed, and after one that fails none any more.
 */
export class StatementBatch implements Submittable {
  /** The rows of each. Whatever fails fails all: their transaction cannot go on. */
  readonly answers: Promise<readonly unknown[][]>;
  private readonly queries: readonly AnsweredQuery[];
  private readonly rows: unknown[][] = [];
  private settle!: { readonly resolve: (rows: readonly unknown[][]) => void; readonly reject: (error: unknown) => void };
  private failure: { readonly error: unknown } | undefined;
  private answered = 0;

  constructor(statements: readonly NamedStatement[]) {
    this.answers = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.queries = statements.map(({ values, ...statement }, index) => {
      const query = new Query(Object.assign({ ...statement, values: [...values], types: columnValues }, EXTENDED));
      const callback = (error: unknown, result?: QueryResult) => {
        if (error) this.failure ??= { error };
        else this.rows[index] = result?.rows ?? [];
      };
      return Object.assign(query, { callback }) as unknown as AnsweredQuery;
    });
  }

  /** The place of the one that the server has refused, when it has. */
  get failedAt(): number {
    return this.answered;
  }

  /** `pg` keeps the statement under these two when the server has parsed it. */
  get name(): string {
    return this.current?.name ?? '';
  }

  get text(): string {
    return this.current?.text ?? '';
  }

  submit(connection: Connection): void {
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        const refused: unknown = query.submit(withoutSync);
        if (refused instanceof Error) this.failure ??= { error: refused };
        if (this.failure !== undefined) break; // none behind one that could not be sent, least of all a commit
      }
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.current?.handleCommandComplete(message, connection);
    this.answered += 1;
  }

  /** By the server, after which it looks at none of the others, or by a connection that is gone. */
  handleError(error: Error, connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection as KeepingConnection;
    for (const { name } of this.queries.slice(this.answered)) if (parsedStatements[name] === undefined) delete submittedNamedStatements[name];
    this.settle.reject(error);
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.queries.slice(0, this.answered)) query.handleReadyForQuery(connection);
    if (this.failure === undefined) this.settle.resolve(this.rows);
    else this.settle.reject(this.failure.error);
  }

  private get current(): AnsweredQuery | undefined {
    return this.queries[this.answered];
  }
}
