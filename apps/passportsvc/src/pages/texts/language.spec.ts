import { languageFor } from './language';

describe('the language of pages and mails', () => {
  it.each([
    ['de', 'de'], ['DE-ch-1996', 'de'], ['de-x-private', 'de'], ['fr de-AT en', 'de'], ['fr-CA', 'en'], ['', 'en'], ['den', 'en'], ['-', 'en'],
  ])('is looked up by RFC 4647: %j gives %s', (uiLocales, language) => {
    expect(languageFor({ uiLocales })).toBe(language);
  });

  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'de'], ['en;q=0.1, de;q=0.9', 'de'], ['fr, *;q=0.5, de;q=0.1', 'de'], ['de;q=0, en', 'en'], ['*', 'en'], ['de;q=x', 'en'],
  ])('follows the weights of Accept-Language: %j gives %s', (acceptLanguage, language) => {
    expect(languageFor({ acceptLanguage })).toBe(language);
  });

  it('is asked of the request, then of the account, then of the browser', () => {
    expect(languageFor({ uiLocales: 'en', locale: 'de', acceptLanguage: 'de' })).toBe('en');
    expect(languageFor({ uiLocales: 'fr', locale: 'de', acceptLanguage: 'en' })).toBe('de');
    expect(languageFor({ locale: null, acceptLanguage: 'de' })).toBe('de');
  });
});
