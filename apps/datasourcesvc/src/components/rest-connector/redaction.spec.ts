import { Redaction } from './redaction';

describe('redaction', () => {
  const secret = 'p"ss wörd\n/1';
  const redaction = new Redaction([secret, '4711', 'pass', 'passport']);

  it('takes a secret out as it is, and as JSON, addresses and Basic write it', () => {
    const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')];
    for (const form of forms) expect(redaction.text(`before ${form} behind`)).toMatch(/^before "?\*\*\*"? behind$/);
    expect(new Redaction([' padded ']).text('Bearer padded')).toBe('Bearer ***');
  });

  it('takes it out of texts, keys and numbers, however deep', () => {
    expect(redaction.value({ a: [{ [`x-${secret}`]: `is ${secret}` }], n: 4711, m: 47112, t: '4711', yes: true, no: null }))
      .toEqual({ a: [{ 'x-***': 'is ***' }], n: '***', m: 47112, t: '***', yes: true, no: null });
  });

  it('leaves nothing of a secret that is longer than another', () => expect(redaction.text('passport and pass')).toBe('*** and ***'));

  it('leaves everything without secrets', () => {
    const value = { a: [1, 'x'] };
    expect(new Redaction([]).value(value)).toBe(value);
  });
});
