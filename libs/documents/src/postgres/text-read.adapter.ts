import type { Connection, Submittable } from 'pg';

/** Columns as the server writes them, and what they say. */
export type RowOfTexts = (columns: readonly string[]) => unknown;

/** `pg` notes here which statements a connection keeps, these among them: it looks at `name` and `text` of whatever was parsed. */
interface ParsingConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string>>;
}

/** PostgreSQL's manual, "Message Formats": Execute of the unnamed portal, whole, and Sync. */
const EXECUTE_AND_SYNC = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');
const BIND = 'B'.charCodeAt(0);
const NO_FORMATS = 0;

/**
 * A statement with texts for parameters and with columns that are known, so that the server need not describe them each time: all that it takes is one
 * write. To read such a description and to make a parser of it took longer than to read the row (docs/performance/items.md).
 */
export class TextRead implements Submittable {
  private readonly rows: unknown[] = [];
  private unreadable: Error | undefined;
  /** How the pool hears of the end: it sets it where there is none. */
  callback?: (error: Error | undefined, rows?: readonly unknown[]) => void;

  constructor(
    readonly text: string,
    private readonly values: readonly string[],
    private readonly rowOf: RowOfTexts,
    /** Under which connections keep it; without one it is read and planned each time. */
    readonly name = '',
  ) {}

  static canBind(parameters: readonly unknown[]): parameters is readonly string[] {
    return parameters.every((value) => typeof value === 'string');
  }

  submit(connection: Connection): void {
    const { stream, parsedStatements } = connection as ParsingConnection;
    if (this.name !== '' && parsedStatements[this.name] !== undefined) {
      stream.write(this.messages());
      return;
    }
    stream.cork();
    connection.parse({ name: this.name, text: this.text, types: [] }, true);
    stream.write(this.messages());
    stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: readonly string[] }): void {
    try {
      this.rows.push(this.rowOf(fields));
    } catch (error) {
      this.unreadable = error as Error; // told at the end: who threw here would end the process
    }
  }

  handleCommandComplete(): void {
    // how many rows there were is seen
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.(this.unreadable, this.rows);
  }

  /** Bind to the unnamed portal, Execute, Sync. Formats of parameters and columns: none named, so all are texts. */
  private messages(): Buffer {
    const sizes = this.values.map((value) => Buffer.byteLength(value));
    const nameSize = Buffer.byteLength(this.name);
    const length = sizes.reduce((sum, size) => sum + INT32 + size, INT32 + 1 + nameSize + 1 + 3 * INT16);
    const buffer = Buffer.allocUnsafe(1 + length + EXECUTE_AND_SYNC.length);
    buffer[0] = BIND;
    let at = buffer.writeInt32BE(length, 1);
    buffer[at] = 0;
    at = buffer.writeUInt8(0, at + 1 + buffer.write(this.name, at + 1));
    at = buffer.writeInt16BE(sizes.length, buffer.writeInt16BE(NO_FORMATS, at));
    for (const [index, size] of sizes.entries()) {
      at = buffer.writeInt32BE(size, at);
      at += buffer.write(this.values[index] as string, at);
    }
    EXECUTE_AND_SYNC.copy(buffer, buffer.writeInt16BE(NO_FORMATS, at));
    return buffer;
  }
}

const INT16 = 2;
const INT32 = 4;
