import { createServer, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/** Speaks MongoDB's wire protocol (OP_MSG, and OP_QUERY for the first greeting) as far as a connection needs it, and answers as it is told to: what no real server does. */
export class OddMongoServer {
  readonly asked: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server, private readonly answers: Answers) {}

  /** `answers`: by the name of the command, beside `ok`; commands that it lacks are refused. */
  static async start(answers: Answers): Promise<OddMongoServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const odd = new OddMongoServer(server, answers);
    server.on('connection', (socket) => odd.serve(socket));
    return odd;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.server.address() as { port: number }).port}/odd?directConnection=true`;
  }

  async stop(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    let held = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 16 && held.length >= held.readInt32LE(0)) {
        const message = held.subarray(0, held.readInt32LE(0));
        held = held.subarray(message.length);
        this.answer(socket, message);
      }
    });
  }

  private answer(socket: Socket, message: Buffer): void {
    const isQuery = message.readInt32LE(12) === OP_QUERY;
    // OP_QUERY: flags, name of the collection, skip, return; OP_MSG: flags, kind of the section.
    const at = isQuery ? message.indexOf(0, 20) + 9 : 21;
    const command = Object.keys(BSON.deserialize(message.subarray(at, at + message.readInt32LE(at))))[0] as string;
    this.asked.push(command);
    const given = this.answers[command === 'isMaster' || command === 'ismaster' ? 'hello' : command];
    const body = BSON.serialize(given ? { ok: 1, ...given } : { ok: 0, code: 59, errmsg: `no such command: ${command}` });
    const head = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
    if (isQuery) head.writeInt32LE(1, 16);
    const header = Buffer.alloc(16);
    header.writeInt32LE(16 + head.length + body.length, 0);
    header.writeInt32LE(message.readInt32LE(4), 8);
    header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
    socket.write(Buffer.concat([header, head, body]));
  }
}
