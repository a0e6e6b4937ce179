import { html } from './html';
import { layout } from './layout';

/** Asks once more: programs that look through mails open every link in them. */
export const confirmationPage = (email: string): string =>
  layout('Confirm your e-mail address', html`<h1>Confirm your e-mail address</h1>
    <p class="lead">Is <strong>${email}</strong> yours?</p>
    <form method="post"><button type="submit">Yes, confirm it</button></form>`);

export const confirmedPage = (): string =>
  layout('Thank you', html`<h1>Thank you</h1>
    <p class="lead" role="status">Your e-mail address is confirmed. You can close this page.</p>`);
