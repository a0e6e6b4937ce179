import type { KoaContextWithOIDC, OIDCContext, Provider } from 'oidc-provider';
import type { Sessions } from '../sessions/sessions.service';
import { answerWithPage, frameOfKoa } from './koa-page';
import type { OidcLibrary } from './oidc-library';
import { originOf } from './request-origins';
import { inQuery, sendTo } from './response-modes';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from './session-cookie';
import { browserSignedOutPage, signOutPage } from './sign-out-page';

interface BrowserSession {
  readonly uid: string;
  readonly accountId?: string;
  readonly state?: { readonly clientId?: string };
  destroy(this: BrowserSession): Promise<void>;
}

/** What the library keeps of a sign-out until its owner has agreed. */
interface AskedSignOut {
  readonly secret: string;
  readonly postLogoutRedirectUri?: string;
  readonly state?: string;
}

/**
 * The library forgets a session that is over; tokens of it are JWTs, of whose end every service has to be told (contract 1.1). That
 * comes first: a session that is forgotten could not be ended any more.
 */
export function endSessionsEverywhere(provider: Provider, sessions: Sessions, library: OidcLibrary): void {
  const { prototype } = provider.Session as unknown as { prototype: BrowserSession };
  const { destroy } = prototype;
  prototype.destroy = async function destroyEverywhere() {
    const { uid, accountId, state } = this;
    if (accountId !== undefined) await sessions.end(uid, { id: accountId, appId: state?.clientId, ...originOf(library.Provider.ctx?.req) });
    await destroy.call(this);
  };
}

/** OpenID Connect RP-Initiated Logout 1.0: an application sends its user here to be signed out. */
export const rpInitiatedLogout = { enabled: true, logoutSource: askOrSignOut, postLogoutSuccessSource: tellSignedOut };

/**
 * Section 2: "the OP SHOULD ask the End-User whether to log out of the OP as well". An ID token of the very person who is signed in here
 * is shown by an application that has signed them in; without one any page could send a browser here, so its owner is asked.
 */
async function askOrSignOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, client, params, entities: { IdTokenHint } } = ctx.oidc;
  const returnTo = textOf(params?.['post_logout_redirect_uri']);
  if (session !== undefined && IdTokenHint !== undefined && IdTokenHint.payload['sub'] === session.accountId) return signOut(ctx, returnTo);
  const { secret } = (session as unknown as { state: AskedSignOut }).state;
  const page = signOutPage(frameOfKoa(ctx), { action: ctx.oidc.urlFor('end_session_confirm'), secret, application: client?.clientName });
  answerWithPage(ctx, page, returnTo === undefined ? [] : [returnTo]);
}

async function signOut(ctx: KoaContextWithOIDC, returnTo: string | undefined): Promise<void> {
  await ctx.oidc.session?.destroy();
  ctx.cookies.set(SESSION_COOKIE, null, SESSION_COOKIE_OPTIONS);
  sendTo(ctx, returnTo === undefined ? ctx.oidc.urlFor('end_session_success') : withState(returnTo, textOf(ctx.oidc.params?.['state'])));
}

/** A Koa middleware: of who has agreed, the library writes the address that it sends the browser to anew. */
export async function sendBackAsRegistered(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if ((ctx.oidc as OIDCContext | undefined)?.route !== 'end_session_confirm' || ctx.status !== 303) return;
  const { postLogoutRedirectUri, state } = (ctx.oidc.session as unknown as { state: AskedSignOut }).state;
  if (postLogoutRedirectUri !== undefined) sendTo(ctx, withState(postLogoutRedirectUri, state));
}

async function tellSignedOut(ctx: KoaContextWithOIDC): Promise<void> {
  answerWithPage(ctx, browserSignedOutPage(frameOfKoa(ctx)));
}

const withState = (uri: string, state: string | undefined): string => (state === undefined ? uri : inQuery(uri, { state }));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
