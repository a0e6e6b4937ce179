import { csrfField, field, problemSummary, type Problems, strong } from '../form';
import type { Frame } from '../frame';
import { html } from '../html';
import { layout } from '../layout';

export interface ResetRequestPage {
  readonly path: string;
  readonly csrf: string;
  readonly email: string;
  readonly problems: Problems;
}

export function resetRequestPage(frame: Frame, { path, csrf, email, problems }: ResetRequestPage): string {
  const { fields, reset, waiting } = frame.texts;
  return layout(frame, reset.title, html`<h1>${reset.title}</h1>
    <p class="lead">${reset.lead}</p>
    ${problemSummary(frame, problems)}
    <form method="post" action="${path}/reset">
      ${csrfField(csrf)}
      ${field(frame, problems, { name: 'email', label: fields.email, type: 'email', value: email, autocomplete: 'username', hasFocus: true })}
      <button type="submit">${reset.submit}</button>
    </form>
    <p class="other-way"><a href="${path}">${waiting.backToSignIn}</a></p>`);
}

export function resetSentPage(frame: Frame, { path, email }: { readonly path: string; readonly email: string }): string {
  const { reset, waiting } = frame.texts;
  return layout(frame, reset.sentTitle, html`<h1>${reset.sentTitle}</h1>
    <p class="lead" role="status">${reset.sent(strong(email))}</p>
    <p class="other-way"><a href="${path}">${waiting.backToSignIn}</a></p>`);
}
