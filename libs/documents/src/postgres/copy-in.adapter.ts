import type { Connection, Submittable } from 'pg';

/** PostgreSQL's manual, "Message Formats": CopyData is `d` and its length, which counts itself; CopyDone is `c` and nothing. */
const DATA = 'd'.charCodeAt(0);
const LENGTH_BYTES = 4;
const DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, LENGTH_BYTES]);

/**
 * A `COPY … FROM STDIN` with all of its rows, as a statement that `pg` takes: the driver hands on what the server says, and leaves this part of
 * the protocol to whoever needs it. What goes wrong is told as for any other statement, and the connection is as usable afterwards.
 */
export class CopyIn implements Submittable {
  readonly done: Promise<void>;
  private resolve!: () => void;
  private reject!: (error: Error) => void;

  constructor(
    private readonly sql: string,
    private readonly rows: Buffer,
  ) {
    this.done = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }

  submit(connection: Connection): void {
    connection.query(this.sql);
  }

  handleCopyInResponse({ stream }: Connection): void {
    const head = Buffer.alloc(1 + LENGTH_BYTES, DATA);
    head.writeInt32BE(LENGTH_BYTES + this.rows.length, 1);
    stream.cork();
    for (const part of [head, this.rows, DONE]) stream.write(part);
    stream.uncork();
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  /** The last that is heard, also behind an error. */
  handleReadyForQuery(): void {
    this.resolve();
  }

  handleCommandComplete(): void {
    // how many rows there were is known
  }
}
