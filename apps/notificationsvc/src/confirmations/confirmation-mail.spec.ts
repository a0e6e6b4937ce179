import { confirmationMail } from './confirmation-mail';

const bodyWith = (words: string) => confirmationMail({ applicationName: 'The house', acceptLink: 'https://twin.example/confirm', words }).body;

describe('the words of a tenant in a confirmation mail', () => {
  it('have 2,000 characters, counted before addresses are taken out of them', () => {
    const body = bodyWith(`Read https://evil.example/${'x'.repeat(3_000)} and pay at once`);
    expect(body).toContain('> Read …\n');
    expect(body).not.toContain('pay at once');
  });

  it('are not read behind that, however long they are: a template may render 2 MB', () => {
    expect(bodyWith('a'.repeat(2_000_000))).toContain(`> ${'a'.repeat(2_000)}\n`);
  });
});
