import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mailboxOf } from '@twinyard/conventions';
import fc from 'fast-check';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { MailTransport } from '../src/mail';

interface Received {
  readonly recipients: readonly string[];
  readonly sender: string;
  readonly mail: Email;
}

describe('mail by SMTP', () => {
  const received: Received[] = [];
  let server: SMTPServer;
  let transport: MailTransport;

  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true, disabledCommands: ['STARTTLS'], hideSMTPUTF8: false,
      onData: (stream, { envelope: { rcptTo, mailFrom } }, done) => {
        void buffer(stream).then(async (bytes) => {
          received.push({ recipients: rcptTo.map(({ address }) => address), sender: mailFrom ? mailFrom.address : '', mail: await PostalMime.parse(bytes) });
          done();
        }, done);
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    transport = new MailTransport({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_DIR: '', MAIL_FROM: 'House <house@example.com>', BASE_URL: 'http://twinyard.test', MAIL_DEADLINE_MS: 60_000 });
  });
  afterAll(async () => {
    transport?.onApplicationShutdown();
    await new Promise<void>((resolve) => server.close(resolve));
  });

  const send = async (to: string, from?: { readonly name: string; readonly address: string }) => {
    received.splice(0);
    await transport.send({ id: 'one', to, ...(from && { from }), subject: 's', body: 'b', html: false });
    return received;
  };

  it('arrives at exactly the mailbox that the rule has taken, in the envelope and in the header', async () => {
    const local = fc.stringMatching(/^[a-z\d!#$%&'*+/=?^_`{|}~\u00e4\u00df\u6728-]{1,20}(\.[a-z\d{}|=-]{1,5}){0,2}$/);
    const host = fc.constantFrom('example.com', 'bücher.example', 'xn--bcher-kva.example', 'ｅｘａｍｐｌｅ.com', 'sub.example.co.uk', '例子.广告', 'example.com.');
    await fc.assert(fc.asyncProperty(local, host, async (name, domain) => {
      const mailbox = mailboxOf(`${name}@${domain}`);
      if (mailbox === undefined) return;
      const [one, ...more] = await send(mailbox);
      // The server shows hosts in letters, whatever they were sent in.
      expect([one?.recipients.map(mailboxOf), more]).toEqual([[mailbox], []]);
      expect(one?.mail.to?.map(({ address, name: shown }) => [mailboxOf(address ?? ''), shown])).toEqual([[mailbox, '']]);
    }), { numRuns: 50, examples: [["o'brien", 'example.com'], ['a=b', 'example.com'], ['{x}', 'bücher.example'], ['?utf-8?q?x?=', 'example.com']] });
  });

  it.each(['victim@example.com, x', 'x,victim@example.com', 'Desk <victim@example.com>', 'x;victim@example.com', '(c)victim@example.com'])('never reads %j for other mailboxes than the text, should it get there', async (text) => {
    const recipients = await send(text).then((mails) => mails.flatMap((mail) => mail.recipients), () => []);
    expect(recipients).not.toContain('victim@example.com');
  });

  it('shows the name of its sender as it is, whatever signs it has', async () => {
    const name = 'Haus, "Nord" <x@example.com>';
    const [one] = await send('desk@example.com', { name, address: 'haus@example.com' });
    expect([one?.sender, one?.mail.from]).toEqual(['haus@example.com', expect.objectContaining({ name, address: 'haus@example.com' })]);
  });

  it.each(['\r\n', '\n', '\r'])('begins no header in a subject or a name with line ends: %j', async (end) => {
    const words = `Hello${end}Bcc: victim@example.com${end}${end}And a body`;
    received.splice(0);
    await transport.send({ id: 'one', to: 'desk@example.com', from: { name: words, address: 'haus@example.com' }, subject: words, body: 'b', html: false });
    expect(received.map(({ recipients, mail }) => [recipients, mail.bcc, mail.subject, mail.text?.trim()])).toEqual([[['desk@example.com'], undefined, 'Hello Bcc: victim@example.com And a body', 'b']]);
  });
});
