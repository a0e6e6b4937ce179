import type { KoaContextWithOIDC, ErrorOut } from 'oidc-provider';
import { errorPage } from '../pages/error-page';
import { frameIn } from '../pages/frame';
import { PAGE_HEADERS, pageSecurityPolicy } from '../pages/page-security';
import { languageFor } from '../pages/texts/language';

/** An authorization request that cannot be answered at its redirect URI: a page says so, and nobody is sent anywhere. */
export async function renderOAuthError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value);
  const { ui_locales: uiLocales } = ctx.query;
  const frame = frameIn(languageFor({ uiLocales: typeof uiLocales === 'string' ? uiLocales : undefined, acceptLanguage: ctx.get('accept-language') }), ctx.req.method === 'GET' ? ctx.originalUrl : undefined);
  const { oauth, oauthOther, oauthTitle: title } = frame.texts.errors;
  const reasons: Readonly<Record<string, string>> = oauth;
  const reason = Object.hasOwn(reasons, out.error) ? String(reasons[out.error]) : oauthOther;
  ctx.set('Content-Security-Policy', pageSecurityPolicy());
  ctx.type = 'html';
  ctx.body = errorPage(frame, { title, reason, code: [out.error, out.error_description].filter((part) => part !== undefined).join(': ') });
}
