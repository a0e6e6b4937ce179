import { html, Html } from './html';
import { layout } from './layout';

export interface ConsentPage {
  readonly action: string;
  readonly csrf: string;
  readonly application: string;
  readonly email: string;
  readonly scopes: readonly string[];
}

const MEANINGS: Readonly<Record<string, string>> = {
  read: 'See what you may see',
  write: 'Make and change what you may make and change',
  profile: 'Know your name',
  email: 'Know your e-mail address',
};

export const consentPage = ({ action, csrf, application, email, scopes }: ConsentPage): string =>
  layout('Allow access', html`<h1>Allow access?</h1>
    <p class="lead"><strong>${application}</strong> asks to act for ${email}:</p>
    <ul>${new Html(scopes.flatMap((scope) => MEANINGS[scope] ?? []).map((meaning) => html`<li>${meaning}</li>`.markup).join(''))}</ul>
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}">
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" class="quiet">Do not allow</button>
    </form>`);
