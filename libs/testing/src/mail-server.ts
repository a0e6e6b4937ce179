import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server that keeps what it gets, read back by a third party's parser. */
export class FakeMailServer {
  private readonly mails: Email[] = [];
  private failures = 0;
  private held: Promise<void> = Promise.resolve();

  private constructor(private readonly server: SMTPServer) {}

  static async start(): Promise<FakeMailServer> {
    const holder: { mail?: FakeMailServer } = {};
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => void holder.mail?.receive(Buffer.concat(chunks)).then(() => done(), done));
      },
    });
    holder.mail = new FakeMailServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return holder.mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** Refuses the next `count` mails for a while (RFC 5321: 451). */
  failNext(count: number): void {
    this.failures = count;
  }

  /** Keeps whoever sends waiting for the answer until the returned function is called. */
  hold(): () => void {
    let release = () => undefined as void;
    this.held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  find(wanted: (mail: Email & { subject: string }) => boolean): Email & { subject: string } {
    const found = this.mails.find((mail) => wanted(mail as Email & { subject: string }));
    if (found === undefined) throw new Error(`no such mail among: ${this.mails.map(({ subject }) => subject).join(', ')}`);
    return found as Email & { subject: string };
  }

  count(wanted: (mail: Email & { subject: string }) => boolean): number {
    return this.mails.filter((mail) => wanted(mail as Email & { subject: string })).length;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async receive(message: Buffer): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw Object.assign(new Error('451 come back later'), { responseCode: 451 });
    }
    this.mails.push(await PostalMime.parse(message));
    await this.held;
  }
}
