import { strong } from './form';
import type { Frame } from './frame';
import { html } from './html';
import { layout } from './layout';

/** Asks once more: programs that look through mails open every link in them. */
export function confirmationPage(frame: Frame, email: string): string {
  const { confirmation } = frame.texts;
  return layout(frame, confirmation.title, html`<h1>${confirmation.title}</h1>
    <p class="lead">${confirmation.lead(strong(email))}</p>
    <form method="post"><button type="submit">${confirmation.submit}</button></form>`);
}

export function confirmedPage(frame: Frame, next?: string): string {
  const { confirmation } = frame.texts;
  return layout(frame, confirmation.doneTitle, html`<h1>${confirmation.doneTitle}</h1>
    <p class="lead" role="status">${confirmation.done}</p>
    ${next !== undefined && html`<p class="actions"><a class="button quiet" href="${next}">${confirmation.goOn}</a></p>`}`);
}
