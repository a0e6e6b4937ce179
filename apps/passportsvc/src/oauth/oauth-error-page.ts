import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { errorPage } from '../pages/error-page';
import { answerWithPage, frameOfKoa } from './koa-page';

/** A request of an application that cannot be answered at its own address: a page says so (or the error itself, to a program that wants no page), and nobody is sent anywhere. */
export async function renderOAuthError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { error: out.error, error_description: out.error_description };
    return;
  }
  const frame = frameOfKoa(ctx);
  const code = [out.error, out.error_description].filter((part) => part !== undefined).join(': ');
  if (ctx.status === 503) return answerWithPage(ctx, errorPage(frame, { title: frame.texts.errors.busyTitle, reason: frame.texts.errors.busy(Number(ctx.response.get('Retry-After'))), code, again: frame.here }));
  const { oauth, oauthOther, oauthTitle: title } = frame.texts.errors;
  const reasons: Readonly<Record<string, string>> = oauth;
  const reason = Object.hasOwn(reasons, out.error) ? String(reasons[out.error]) : oauthOther;
  answerWithPage(ctx, errorPage(frame, { title, reason, code }));
}
