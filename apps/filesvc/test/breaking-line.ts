import { randomInt } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A line to the service that breaks after some bytes, so many times. */
export class BreakingLine {
  broken = 0;

  private constructor(private readonly server: Server, readonly url: string, private readonly sockets: Set<Socket>) {}

  static async open(target: string, times: number): Promise<BreakingLine> {
    const { port, hostname } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((from) => {
      const to = connect(Number(port), hostname);
      for (const socket of [from, to]) sockets.add(socket.on('error', () => undefined).on('close', () => { sockets.delete(socket); from.destroy(); to.destroy(); }));
      let left = line.broken < times ? randomInt(2_000, 200_000) : Infinity;
      from.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left > 0) return void to.write(chunk);
        if (line.broken < times) line.broken += 1;
        to.write(chunk.subarray(0, Math.max(0, chunk.length + left)), () => to.resetAndDestroy());
        from.resetAndDestroy();
      });
      to.pipe(from);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const line: BreakingLine = new BreakingLine(server, `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, sockets);
    return line;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
