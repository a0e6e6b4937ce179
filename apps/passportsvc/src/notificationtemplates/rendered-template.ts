import { limitExceeded } from '@twinyard/conventions';
import { escapeText } from '../pages/html';
import type { NotificationTemplateEntity } from './notification-template.entity';

export type TemplateVariables = Readonly<Record<string, unknown>>;

export interface RenderedTemplate {
  readonly subject: string;
  readonly body: string;
  readonly html: boolean;
}

/** Characters of a mail: a variable of some kilobytes may stand in its template thousands of times. */
const LONGEST = 500_000;

const VARIABLE = /\$\{\s*([A-Za-z0-9_.-]{1,100})\s*\}/g;

/** `${variable}` is replaced once: what a value holds is never read as a template. Unknown ones are left empty (contract 1.5). @throws ServiceError `limit_exceeded` */
export function renderTemplate({ title, message, format }: Pick<NotificationTemplateEntity, 'title' | 'message' | 'format'>, variables: TemplateVariables): RenderedTemplate {
  const html = format.toLowerCase().startsWith('text/html');
  const valueOf = (name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };
  let room = LONGEST - title.length - message.length;
  const fill = (text: string, write: (value: string) => string) => text.replace(VARIABLE, (_, name: string) => {
    const written = write(valueOf(name));
    room -= written.length;
    if (room < 0) throw limitExceeded(`A mail has at most ${LONGEST} characters; this one would have more`);
    return written;
  });
  return { subject: fill(title, String), body: fill(message, html ? escapeText : String), html };
}
