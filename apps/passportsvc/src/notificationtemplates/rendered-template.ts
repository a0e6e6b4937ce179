import { escapeText } from '../pages/html';
import type { NotificationTemplateEntity } from './notification-template.entity';

export type TemplateVariables = Readonly<Record<string, unknown>>;

export interface RenderedTemplate {
  readonly subject: string;
  readonly body: string;
  readonly html: boolean;
}

const VARIABLE = /\$\{\s*([A-Za-z0-9_.-]{1,100})\s*\}/g;

/** `${variable}` is replaced once: what a value holds is never read as a template. Unknown ones are left empty (contract 1.5). */
export function renderTemplate({ title, message, format }: Pick<NotificationTemplateEntity, 'title' | 'message' | 'format'>, variables: TemplateVariables): RenderedTemplate {
  const html = format.toLowerCase().startsWith('text/html');
  const valueOf = (name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };
  return {
    subject: title.replace(VARIABLE, (_, name: string) => valueOf(name)),
    body: message.replace(VARIABLE, (_, name: string) => (html ? escapeText(valueOf(name)) : valueOf(name))),
    html,
  };
}
