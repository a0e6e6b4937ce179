/** @jest-environment node */
import { FakeMailServer } from '@twinyard/testing/mail-server';
import type * as Pino from 'pino';
import { linkTo, Visitor } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { manager } from './tenancy';

const mockWritten: string[] = [];

/** The logger as it is, with its lines kept here in place of standard output. */
jest.mock('pino', () => {
  const actual = jest.requireActual<typeof Pino>('pino');
  const toMemory = (options: object) => actual.pino(options, { write: (line: string) => void mockWritten.push(line) });
  return { ...actual, pino: Object.assign(toMemory, actual.pino) };
});

const PASSWORD = 'a password of the log';
const NEW = 'another password of the log';

describe('the log of what people do on the pages', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url, LOG_LEVEL: 'trace' });
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  it('holds no password, no address and no token of a mail\'s link, on any level', async () => {
    const email = 'logged@example.com';
    const visitor = new Visitor(passport);
    const form = await visitor.get(visitor.link(await visitor.open(), '/sign-up'));
    await visitor.submit(form, '/sign-up', { email, password: PASSWORD });
    const confirmation = await linkTo(mail, email, 'Confirm');
    await fetch(confirmation, { method: 'POST' });
    await visitor.submit(await visitor.get(visitor.link(await visitor.open(), '/reset')), '/reset', { email });
    const reset = await linkTo(mail, email, 'Set a new password');
    for (const password of ['short', NEW, NEW]) await fetch(reset, { method: 'POST', body: new URLSearchParams({ password }) });
    await (await manager(passport)).post('/organizations', { _name: 'Logged', _orgOwner: 'owner.logged@example.com' });
    const owner = await linkTo(mail, 'owner.logged@example.com', 'You are the owner');
    await fetch(owner, { method: 'POST', body: new URLSearchParams({ password: PASSWORD }) });
    const log = mockWritten.join('');
    expect(log).toContain('mail sent');
    const tokens = [confirmation, reset, owner].map((link) => link.split('/').at(-1) ?? '');
    for (const secret of [PASSWORD, NEW, email, 'owner.logged@example.com', ...tokens, ...tokens.map((token) => token.split('.').at(-1) ?? '')]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(log).not.toContain(secret);
    }
  });
});
