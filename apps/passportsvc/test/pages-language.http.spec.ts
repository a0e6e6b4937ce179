import { FakeMailServer } from '@twinyard/testing/mail-server';
import { registerApp } from './applications';
import { type BrowserResponse } from './browser';
import { headingOf, mailTo, Visitor } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { newPerson, send } from './tenancy';

const PASSWORD = 'a long enough one';
const languageOf = ({ text }: BrowserResponse) => /<html lang="(\w+)">/.exec(text)?.[1];

describe('the language of the pages', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  it.each([
    [{ ui_locales: 'de' }, {}, 'de'], [{ ui_locales: 'fr-CA de-AT' }, {}, 'de'], [{ ui_locales: 'fr' }, {}, 'en'], [{}, { 'accept-language': 'de-DE,de;q=0.9' }, 'de'],
    [{ ui_locales: 'en' }, { 'accept-language': 'de' }, 'en'], [{}, {}, 'en'],
  ])('is that of the request, else of the browser: %j, %j', async (parameters, headers, language) => {
    const page = await new Visitor(passport).open(parameters, headers);
    expect([languageOf(page), headingOf(page)]).toEqual([language, language === 'de' ? 'Anmelden' : 'Sign in']);
  });

  it('is that of the account where somebody is signed in and the request asks for none', async () => {
    const person = await newPerson(passport, 'Gerda');
    await person.put(`/users/${person.id}`, { _locale: 'de-CH' });
    const app = await registerApp(passport, { firstParty: false, name: 'Plans' });
    const visitor = new Visitor(passport);
    const form = await visitor.open({ client_id: app.id, redirect_uri: app.redirectUris[0] });
    const path = /action="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const consent = await visitor.submit(form, path, { email: person.email, password: PASSWORD });
    expect([languageOf(form), languageOf(consent), headingOf(consent)]).toEqual(['en', 'de', 'Zugriff erlauben?']);
  });

  it('is chosen at the foot of a page, and holds for all that follow in this sign-in', async () => {
    const person = await newPerson(passport, 'Fred');
    const app = await registerApp(passport, { firstParty: false, name: 'Plans' });
    const visitor = new Visitor(passport);
    const page = await visitor.open({ client_id: app.id, redirect_uri: app.redirectUris[0], ui_locales: 'en' });
    const german = await visitor.get(/<a href="([^"]+ui_locales=de[^"]*)" lang="de"/.exec(page.text)?.[1] ?? '');
    expect(headingOf(german)).toBe('Anmelden');
    expect(headingOf(await visitor.get(visitor.link(german, '/sign-up')))).toBe('Konto anlegen');
    expect(headingOf(await visitor.get(visitor.link(german, '/reset')))).toBe('Passwort vergessen?');
    const path = /action="([^"]+)"/.exec(german.text)?.[1] ?? '';
    const wrong = await visitor.submit(german, path, { email: person.email, password: 'wrong' });
    expect(wrong.text).toContain('Die E-Mail-Adresse oder das Passwort ist falsch.');
    expect(headingOf(await visitor.submit(wrong, path, { email: person.email, password: PASSWORD }))).toBe('Zugriff erlauben?');
  });

  it('is that of mails too, and of pages that a mail leads to', async () => {
    const email = 'heidi@example.com';
    await send(passport, 'POST', '/accounts', undefined, { _email: email, _password: PASSWORD, _locale: 'de' });
    const { text } = await mailTo(mail, email, 'Bestätigen Sie Ihre E-Mail-Adresse');
    const page = await fetch(/^https?:\S+$/m.exec(text ?? '')?.[0] ?? '', { headers: { 'accept-language': 'en' } });
    expect(await page.text()).toContain('<html lang="de">');
    const visitor = new Visitor(passport);
    const form = await visitor.open({ ui_locales: 'de' });
    await visitor.submit(await visitor.get(visitor.link(form, '/reset')), '/reset', { email });
    await mailTo(mail, email, 'Neues Passwort setzen');
  });

  it('is that of errors, which keep their code', async () => {
    const { text } = await new Visitor(passport).browser.get('/passportsvc/api/v2/oauth/authorize?client_id=nobody&ui_locales=de');
    expect(text).toContain('Diese Anmeldung geht nicht weiter');
    expect(text).toMatch(/<code>invalid_(client|request)/);
    expect(text).toContain('href="/passportsvc/api/v2/oauth/authorize?client_id=nobody&amp;ui_locales=en"');
    const ended = await new Visitor(passport).browser.get('/passportsvc/sign-in/none', { 'accept-language': 'de' });
    expect([ended.status, headingOf(ended)]).toEqual([400, 'Diese Anmeldung ist beendet']);
  });
});
