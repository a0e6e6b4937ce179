import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** "X5O…": harmless, and found by every scanner. Not in one piece, so that none finds it here. */
export const EICAR = Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''));

type Conduct = 'scans' | 'hangs up half way' | 'is silent' | 'talks nonsense';

/** A clamd by its manual, clamd(8): `zINSTREAM`, chunks with their length in four bytes, a length of zero, an answer that ends with NUL. */
export class StandInClamd {
  conduct: Conduct = 'scans';
  /** Bytes of each stream that was scanned. */
  readonly scanned: number[] = [];
  /** `StreamMaxLength`. */
  limit = 8 * 1024 ** 2;
  private readonly lines = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StandInClamd> {
    const server = createServer();
    const clamd = new StandInClamd(server);
    server.on('connection', (line) => clamd.serve(line));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return clamd;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const line of this.lines) line.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(line: Socket): void {
    this.lines.add(line);
    line.on('error', () => undefined).on('close', () => this.lines.delete(line));
    let pending = Buffer.alloc(0);
    let content: Buffer | undefined;
    line.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      if (this.conduct === 'hangs up half way' && pending.length > 1_000) return void line.destroy();
      if (content === undefined) {
        const end = pending.indexOf(0);
        if (end < 0) return;
        if (pending.toString('latin1', 0, end) !== 'zINSTREAM') return void line.end('UNKNOWN COMMAND\0');
        content = Buffer.alloc(0);
        pending = pending.subarray(end + 1);
      }
      while (pending.length >= 4) {
        const length = pending.readUInt32BE();
        if (length === 0) return this.answer(line, content);
        if (pending.length < 4 + length) return;
        content = Buffer.concat([content, pending.subarray(4, 4 + length)]);
        pending = pending.subarray(4 + length);
        if (content.length > this.limit) return void line.end('INSTREAM size limit exceeded. ERROR\0');
      }
    });
  }

  private answer(line: Socket, content: Buffer): void {
    if (this.conduct === 'is silent') return;
    if (this.conduct === 'talks nonsense') return void line.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    this.scanned.push(content.length);
    line.end(content.includes(EICAR) ? 'stream: Win.Test.EICAR_HDB-1 FOUND\0' : 'stream: OK\0');
  }
}
