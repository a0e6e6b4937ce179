import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Somebody else's server on this machine, which answers as a spec tells it. */
export class Endpoint {
  readonly received: ReceivedRequest[] = [];
  /** How many of its answers were cut off by the other side. */
  cut = 0;
  answer: RequestListener = (_, response) => void response.end();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.serve(request, response).catch(() => undefined));
  }

  static async start(): Promise<Endpoint> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Endpoint(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Forgets what came, and answers 200 with JSON again. */
  reset(): void {
    this.received.length = 0;
    this.cut = 0;
    this.answer = this.json({ ok: true });
  }

  json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener {
    return (_, response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  /** One after the other, the last again and again. */
  inTurn(...answers: readonly RequestListener[]): void {
    this.answer = (request, response) => answers[Math.min(this.received.length, answers.length) - 1]?.(request, response);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: Parameters<RequestListener>[1]): Promise<void> {
    response.on('close', () => void (this.cut += response.writableFinished ? 0 : 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    this.answer(request, response);
  }
}
