import { html } from './html';
import { layout } from './layout';

export interface SignInPage {
  readonly action: string;
  readonly csrf: string;
  readonly application: string;
  readonly email: string;
  readonly problem?: string;
}

export const signInPage = ({ action, csrf, application, email, problem }: SignInPage): string =>
  layout('Sign in', html`<h1>Sign in</h1>
    <p class="lead">to continue to <strong>${application}</strong></p>
    ${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}">
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" value="${email}" autocomplete="username" autocapitalize="none" spellcheck="false" required${email === '' && html` autofocus`}>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required${email !== '' && html` autofocus`}${problem !== undefined && html` aria-describedby="problem"`}>
      <button type="submit">Sign in</button>
    </form>`);
