import { isConnectionLost } from '@twinyard/service-kit';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isResponseMode } from './response-modes';

const BODY_LIMIT = 56 * 1024;
const DEFAULT_SCOPE = 'read write';
/** What the library knows of, and this API does not have: it is refused as any other unknown value. */
const UNSUPPORTED = 'unsupported';

type Query = KoaContextWithOIDC['query'];

/** Why a form is not read. */
export interface FormFault {
  readonly status: 400 | 413;
  readonly description: string;
}

/** "POST works as GET" (contract 1.1): the form takes the place of the query. */
export async function readFormAsQuery(ctx: KoaContextWithOIDC): Promise<FormFault | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to its end all the same: the next request on this connection comes behind it.
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  if (size > BODY_LIMIT) return { status: 413, description: 'the form is too large' };
  ctx.method = 'GET';
  ctx.querystring = Buffer.concat(chunks).toString('utf8');
  return /%00/.test(ctx.querystring) ? { status: 400, description: 'a parameter holds a NUL character' } : undefined;
}

/** The query of an authorization request as the library is to see it: with this API's defaults, and without what this API does not have. */
export async function toLibraryQuery(ctx: KoaContextWithOIDC, provider: Provider): Promise<Query> {
  const { scope = DEFAULT_SCOPE, nonce } = ctx.query;
  const query = {
    ...ctx.query,
    scope,
    response_type: responseTypeFor(ctx),
    response_mode: responseModeFor(ctx.query, await defaultModeOf(provider, ctx.query['client_id'])),
    // Without an ID token there is nothing for a nonce to come back in. Clients send it all the same, and are not refused for it.
    nonce: String(scope).split(' ').includes('openid') ? nonce : undefined,
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** Tokens come straight from here on v1 alone. */
function responseTypeFor({ query: { response_type: type }, state }: KoaContextWithOIDC): Query[string] {
  return asksForToken(type) && state['version'] !== 'v1' ? UNSUPPORTED : type;
}

/** An application that gets its codes in the query gets its tokens in the fragment: they are in no query, whoever asks. */
function responseModeFor({ response_mode: mode, response_type: type }: Query, fallback: string): Query[string] {
  if (mode !== undefined) return typeof mode === 'string' && !isResponseMode(mode) ? UNSUPPORTED : mode;
  return asksForToken(type) && fallback === 'query' ? 'fragment' : fallback;
}

const asksForToken = (type: Query[string]) => typeof type === 'string' && type.split(' ').includes('token');

/** Of a client that is none the library tells. While the store is away it would ask twice more, and wait each time. */
async function defaultModeOf(provider: Provider, clientId: Query[string]): Promise<string> {
  const failed = (error: unknown) => (isConnectionLost(error) ? Promise.reject(error) : undefined);
  const client = typeof clientId === 'string' ? await provider.Client.find(clientId).catch(failed) : undefined;
  const mode = client?.['default_response_mode'];
  return isResponseMode(mode) ? mode : 'both';
}
