import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that answers when it is told to. */
export class PatientReceiver {
  /** Calls that came, by the id of their notification. */
  readonly calls: string[] = [];
  private readonly open: ServerResponse[] = [];
  private isPatient = true;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.calls.push(String(request.headers['webhook-id']));
      request.resume();
      if (this.isPatient) this.open.push(response);
      else response.writeHead(204).end();
    });
  }

  static async start(): Promise<PatientReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PatientReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Answers the call that came first of those that wait. */
  answerFirst(): void {
    this.open.shift()?.writeHead(204).end();
  }

  /** Answers those that wait, and all that come. */
  answer(): void {
    this.isPatient = false;
    while (this.open.length > 0) this.answerFirst();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
