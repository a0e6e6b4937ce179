import type { KoaContextWithOIDC, ErrorOut } from 'oidc-provider';
import { errorPage } from '../pages/error-page';
import { PAGE_HEADERS, pageSecurityPolicy } from '../pages/page-security';

/** An authorization request that cannot be answered at its redirect URI: a page says so, and nobody is sent anywhere. */
export async function renderOAuthError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value);
  ctx.set('Content-Security-Policy', pageSecurityPolicy());
  ctx.type = 'html';
  ctx.body = errorPage({ title: 'This sign-in cannot go on', reason: out.error_description ?? out.error, code: out.error });
}
