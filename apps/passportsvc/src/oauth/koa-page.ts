import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Frame, frameIn } from '../pages/frame';
import { PAGE_HEADERS, pageSecurityPolicy } from '../pages/page-security';
import { languageFor } from '../pages/texts/language';

/** For a page that is answered from within oidc-provider. */
export function frameOfKoa(ctx: KoaContextWithOIDC): Frame {
  const { ui_locales: uiLocales } = ctx.query;
  const language = languageFor({ uiLocales: typeof uiLocales === 'string' ? uiLocales : undefined, acceptLanguage: ctx.get('accept-language') });
  return frameIn(language, ctx.req.method === 'GET' ? ctx.originalUrl : undefined);
}

/** As `sendPage`. */
export function answerWithPage(ctx: KoaContextWithOIDC, page: string, formTargets: readonly string[] = []): void {
  for (const [name, value] of Object.entries({ ...PAGE_HEADERS, 'Content-Security-Policy': pageSecurityPolicy(formTargets) })) ctx.set(name, value);
  ctx.type = 'html';
  ctx.body = page;
}
