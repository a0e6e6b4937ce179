import { csrfField, strong } from '../form';
import type { Frame } from '../frame';
import { Html, html } from '../html';
import { layout } from '../layout';

export interface ConsentPage {
  readonly action: string;
  readonly csrf: string;
  readonly application: string;
  readonly email: string;
  readonly scopes: readonly string[];
}

export function consentPage(frame: Frame, { action, csrf, application, email, scopes }: ConsentPage): string {
  const { consent } = frame.texts;
  const meanings: Readonly<Record<string, string>> = consent.scopes;
  const items = scopes.flatMap((scope) => (Object.hasOwn(meanings, scope) ? [html`<li>${meanings[scope]}</li>`] : []));
  return layout(frame, consent.title, html`<h1>${consent.title}</h1>
    <p class="lead">${consent.lead(strong(application), strong(email))}</p>
    <ul class="scopes">${Html.of(items)}</ul>
    <form method="post" action="${action}">
      ${csrfField(csrf)}
      <button type="submit" name="decision" value="allow">${consent.allow}</button>
      <button type="submit" name="decision" value="deny" class="quiet">${consent.deny}</button>
    </form>`);
}
