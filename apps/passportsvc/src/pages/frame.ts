import type { FastifyRequest } from 'fastify';
import { type Language, languageFor } from './texts/language';
import { type Texts, TEXTS } from './texts';

/** What every page has around its content. */
export interface Frame {
  readonly language: Language;
  readonly texts: Texts;
  /** Path and query of the page itself, which the links to other languages lead to. Without it there are none: what a form was answered with cannot be asked for again. */
  readonly here?: string;
}

export const frameIn = (language: Language, here?: string): Frame => ({ language, texts: TEXTS[language], ...(here !== undefined && { here }) });

/** For a page outside of an authorization request. A form is sent to where its page was, so that the choice of a language stays. */
export function frameOf(request: FastifyRequest, locale?: string | null): Frame {
  const { ui_locales: uiLocales } = request.query as { ui_locales?: unknown };
  const language = languageFor({ uiLocales: typeof uiLocales === 'string' ? uiLocales : undefined, locale, acceptLanguage: request.headers['accept-language'] });
  return frameIn(language, request.url);
}
