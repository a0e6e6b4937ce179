import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@twinyard/testing';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type Claims = Record<string, unknown>;

/** What an issuer does that is not as it should be; each part is left alone unless it is named. */
export interface Misbehaviour {
  /** Changes the discovery document. */
  readonly discovery?: (document: Claims) => Claims | string;
  /** Changes the parameters that the browser is sent back with. */
  readonly answer?: (parameters: Claims) => Claims;
  /** Changes the claims of the ID token. */
  readonly claims?: Claims;
  /** Makes the ID token in another way. */
  readonly idToken?: (claims: Claims, issuer: HandMadeIssuer) => Promise<string> | string;
  /** What the token endpoint does in the place of answering. */
  readonly token?: (response: ServerResponse) => void;
}

interface Code {
  readonly nonce: string;
  readonly clientId: string;
}

/** An OpenID Connect issuer of few lines that signs anybody in as whom a test says, and misbehaves as a test says. */
export class HandMadeIssuer {
  readonly requests: { readonly path: string; readonly body: URLSearchParams; readonly authorization: string | undefined }[] = [];
  readonly departures: URLSearchParams[] = [];
  subject: Claims = { sub: 'nobody' };
  misbehaviour: Misbehaviour = {};
  /** Claims that only the userinfo endpoint tells. */
  userinfo: Claims | undefined;
  private readonly codes = new Map<string, Code>();
  private keys: { readonly kid: string; readonly key: CryptoKey; readonly jwk: JWK }[] = [];

  private constructor(readonly url: string, private readonly server: Server) {}

  static async start(): Promise<HandMadeIssuer> {
    const port = await freePort();
    const server = createServer((request, response) => void issuer.handle(request, response));
    const issuer = new HandMadeIssuer(`http://127.0.0.1:${port}`, server);
    await issuer.rotateKeys();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return issuer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Later tokens are signed with a new key, and the old one is not published any more. */
  async rotateKeys(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const kid = `key-${this.keys.length + 1}-${Math.random()}`;
    this.keys = [{ kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }];
  }

  /** As a browser that is sent there, and in which somebody signs in at once: where it is sent back to. */
  authorize(url: URL): URL {
    this.departures.push(url.searchParams);
    const parameter = (name: string) => url.searchParams.get(name) ?? '';
    const code = `code-${this.codes.size + 1}-${Math.random()}`;
    this.codes.set(code, { nonce: parameter('nonce'), clientId: parameter('client_id') });
    const answer = { code, state: parameter('state'), iss: this.url };
    const back = new URL(parameter('redirect_uri'));
    for (const [name, value] of Object.entries(this.misbehaviour.answer?.(answer) ?? answer)) if (value !== undefined) back.searchParams.set(name, String(value));
    return back;
  }

  sign(claims: Claims, header: Claims = {}): Promise<string> {
    const [key] = this.keys;
    if (key === undefined) throw new Error('the issuer has no key');
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header }).sign(key.key);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const { pathname } = url;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    this.requests.push({ path: pathname, body, authorization: request.headers.authorization });
    return this.answer(url, body, response);
  }

  private async answer(url: URL, body: URLSearchParams, response: ServerResponse): Promise<void> {
    const { pathname } = url;
    if (pathname === '/authorize') return void response.writeHead(302, { location: this.authorize(url).href }).end();
    if (pathname === '/token') return this.token(body, response);
    if (pathname === '/keys') return send(response, { keys: this.keys.map(({ jwk }) => jwk) });
    if (pathname === '/userinfo' && this.userinfo !== undefined) return send(response, { sub: this.subject['sub'], ...this.userinfo });
    if (pathname === '/.well-known/openid-configuration') return send(response, this.misbehaviour.discovery?.(this.discovery()) ?? this.discovery());
    response.writeHead(404).end('not here');
  }

  private discovery(): Claims {
    const { url } = this;
    return {
      issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys`, response_types_supported: ['code'],
      subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'], authorization_response_iss_parameter_supported: true,
      ...(this.userinfo !== undefined && { userinfo_endpoint: `${url}/userinfo` }),
    };
  }

  private async token(body: URLSearchParams, response: ServerResponse): Promise<void> {
    if (this.misbehaviour.token !== undefined) return this.misbehaviour.token(response);
    const code = this.codes.get(body.get('code') ?? '');
    if (code === undefined) return send(response, { error: 'invalid_grant' }, 400);
    this.codes.delete(body.get('code') ?? '');
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: this.url, aud: code.clientId, nonce: code.nonce, iat: now, exp: now + 300, ...this.subject, ...this.misbehaviour.claims };
    const idToken = await (this.misbehaviour.idToken?.(claims, this) ?? this.sign(claims));
    send(response, { access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: idToken });
  }
}

function send(response: ServerResponse, body: Claims | string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
}
