import type { MailFormat } from './template.kind';

/** A tag, a doctype or a comment of HTML at the beginning; anywhere else `<desk@example.com>` is what it says. */
const TAG_FIRST = /^[\s\uFEFF]*<(?:!doctype\b|!--|[a-z][a-z\d-]*(?:\s|\/?>))/i;

/** Whether a mail is HTML: as its template says, else as it begins. */
export const isHtml = ({ _format, _body }: { readonly _format?: MailFormat; readonly _body: string }) =>
  (_format === undefined ? TAG_FIRST.test(_body) : _format === 'HTML');
