import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { webcrypto } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  Access, type AssignableProfileRequest, type AssignableProfileResponse, type EffectiveGrants, type Grant, type GrantResolveRequest, type GrantSyncRequest,
  LEASE_MS, type RunSecret, type RunSecretsRequest, type RunSecretsResponse, type RunTokenRequest, SYNC_HOLD_MS, UP_TO_DATE_HEADER, type UserSummary,
} from '@twinyard/auth';
import { type GrantableAction, newUuid, type ResourceCriteria, type RunBounds, type SubresourceDesc } from '@twinyard/conventions';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface TokenOptions {
  readonly type?: 'user' | 'client';
  readonly scopes?: readonly string[];
  readonly appId?: string;
  readonly sessionId?: string;
  /** For the token of a run. */
  readonly run?: RunBounds;
  readonly profileId?: string;
  /** Seconds from now; negative for an expired token. */
  readonly expiresIn?: number;
}

export interface GrantOptions {
  readonly criteria?: ResourceCriteria;
  readonly subresource?: SubresourceDesc;
}

/**
 * passportsvc as the other services see it (its `/internal/v1` protocol and its published keys), in memory, for the specs
 * of one service. `describePassportProtocol` holds it and the real one to the same behaviour.
 */
export class FakePassport {
  readonly serviceToken = 'service-token-of-the-tests';
  readonly baseUrl = 'http://twinyard.test';
  private readonly grants = new Map<string, Grant[]>();
  private readonly users = new Map<string, UserSummary>();
  private readonly inactive = new Set<string>();
  private readonly managers = new Set<string>();
  private readonly profiles = new Map<string, readonly string[]>();
  private readonly organizations: Record<string, string> = {};
  private readonly secrets: { readonly id: string; readonly name: string; readonly value: string; readonly namespaces: readonly string[] }[] = [];
  private waiting: (() => void)[] = [];
  private readonly subscribers = new Map<string, { readonly acked: number; readonly leaseUntil: number }>();
  private seq = 0;

  private constructor(
    private readonly server: Server,
    private readonly key: webcrypto.CryptoKey,
    private readonly jwk: JWK,
  ) {}

  static async start(): Promise<FakePassport> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' };
    const server = createServer();
    const fake = new FakePassport(server, privateKey, jwk);
    server.on('request', (request, response) => void fake.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.wake();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** An access token as passportsvc signs it. */
  async token(subject: string, options: TokenOptions = {}): Promise<string> {
    const { type = 'user', scopes = ['read', 'write'], appId = 'app', sessionId, run, profileId, expiresIn = 3_600 } = options;
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      client_id: type === 'client' ? subject : appId, scope: scopes.join(' '), principal_type: type, ...(sessionId !== undefined && { sid: sessionId }),
      ...(run !== undefined && { run_id: run.id, run_namespaces: run.namespaces }), ...(profileId !== undefined && { profile_id: profileId }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
      .setIssuer(`${this.baseUrl}/passportsvc`)
      .setAudience(this.baseUrl)
      .setSubject(subject)
      .setJti(newUuid())
      .setIssuedAt(now)
      .setExpirationTime(now + expiresIn)
      .sign(this.key);
  }

  /** Grants and waits until every instance has applied it, as the real one does. */
  async grant(subject: string, namespace: string, actions: readonly GrantableAction[], irn = '*:*:*', options: GrantOptions = {}): Promise<void> {
    const grant: Grant = { permissionId: newUuid(), namespace, actions, irn, via: { type: 'user', id: subject }, ...options };
    this.grants.set(subject, [...(this.grants.get(subject) ?? []), grant]);
    await this.changed();
  }

  async revokeAll(subject: string): Promise<void> {
    this.grants.delete(subject);
    await this.changed();
  }

  async disable(subject: string): Promise<void> {
    this.inactive.add(subject);
    await this.changed();
  }

  async makePlatformManager(subject: string): Promise<void> {
    this.managers.add(subject);
    await this.changed();
  }

  addUser(user: Partial<UserSummary> & { readonly id: string }): void {
    this.users.set(user.id, { name: user.id, email: `${user.id}@example.com`, emailVerified: true, disabled: false, ...user });
  }

  /** From the next look at grants on. */
  putIntoOrganization(organization: string, namespaces: readonly string[]): void {
    for (const namespace of namespaces) this.organizations[namespace] = organization;
  }

  /** A permission profile and the namespaces that it lies in; what it holds is granted to its id. */
  addProfile(id: string, namespaces: readonly string[]): void {
    this.profiles.set(id, namespaces);
  }

  /** The id of a new secret. */
  addSecret(name: string, value: string, namespaces: readonly string[]): string {
    const id = newUuid();
    this.secrets.push({ id, name, value, namespaces });
    return id;
  }

  private async changed(): Promise<void> {
    this.seq += 1;
    this.wake();
    const seq = this.seq;
    const isAwaited = () => [...this.subscribers.values()].some(({ acked, leaseUntil }) => acked < seq && performance.now() < leaseUntil);
    while (isAwaited()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    waiting.forEach((done) => done());
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/oauth/jwks')) return send(response, { keys: [this.jwk] });
    if (request.headers.authorization !== `Bearer ${this.serviceToken}`) return send(response, { message: 'no' }, 401);
    const body = await readJson(request);
    switch (request.url) {
      case '/internal/v1/grants/sync': return send(response, await this.sync(body as GrantSyncRequest, response));
      case '/internal/v1/grants/resolve': return send(response, this.resolve(body as GrantResolveRequest));
      case '/internal/v1/users': return send(response, { users: (body as { ids: string[] }).ids.flatMap((id) => this.users.get(id) ?? []) });
      case '/internal/v1/origins': return send(response, { origins: [] });
      case '/internal/v1/namespaces': return send(response, { namespaces: (body as { namespaces: string[] }).namespaces.map((namespace) => ({ namespace, applicationName: 'Test application' })) });
      case '/internal/v1/run-tokens': return send(response, await this.runToken(body as RunTokenRequest));
      case '/internal/v1/run-secrets': return send(response, this.runSecrets(body as RunSecretsRequest));
      case '/internal/v1/assignable-profiles': return send(response, this.assignableProfile(body as AssignableProfileRequest));
      default: return send(response, { message: 'no' }, 404);
    }
  }

  private async sync({ instance, acked }: GrantSyncRequest, response: ServerResponse): Promise<unknown> {
    this.subscribers.set(instance, { acked, leaseUntil: performance.now() + LEASE_MS });
    if (acked >= this.seq) {
      response.writeHead(200, { 'content-type': 'application/json', [UP_TO_DATE_HEADER]: '1' }).flushHeaders();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, SYNC_HOLD_MS);
        this.waiting.push(() => { clearTimeout(timer); resolve(); });
      });
    }
    return { seq: this.seq, reset: acked < this.seq, keys: [] };
  }

  private resolve({ principal, service }: GrantResolveRequest): { seq: number; effective: EffectiveGrants; keys: string[] } {
    const held = this.inactive.has(principal.id) ? [] : (this.grants.get(principal.profileId ?? principal.id) ?? []);
    const grants = held.filter(({ irn }) => irn.startsWith(`${service}:`) || irn.startsWith('*:'));
    const user = this.users.get(principal.id);
    return {
      seq: this.seq,
      keys: [`${principal.type}:${principal.id}`],
      effective: {
        active: !this.inactive.has(principal.id), platformManager: this.managers.has(principal.id), groupIds: [], grants, organizations: this.organizations,
        ...(user && { name: user.name, email: user.email, emailVerified: user.emailVerified }),
      },
    };
  }

  private assignableProfile({ principal, profileId, namespaces }: AssignableProfileRequest): AssignableProfileResponse {
    const { effective } = this.resolve({ principal, service: 'passportsvc' });
    const inReach = namespaces.filter((namespace) => principal.run?.namespaces.includes(namespace) ?? true);
    const access = new Access(effective, principal.scopes, inReach);
    const lies = this.profiles.get(profileId) ?? [];
    const holds = (action: 'ASSIGN' | 'READ') =>
      namespaces.length > 0 && namespaces.every((namespace) => access.holds(action, { type: 'passportsvc:permission_profile', id: profileId, namespaces: [namespace] }));
    if (!namespaces.every((namespace) => lies.includes(namespace))) return { verdict: 'unknown' };
    if (holds('ASSIGN')) return { verdict: 'assignable' };
    return { verdict: holds('READ') ? 'forbidden' : 'unknown' };
  }

  private runSecrets({ principal, names }: RunSecretsRequest): RunSecretsResponse {
    const { effective } = this.resolve({ principal, service: 'passportsvc' });
    const within = principal.run?.namespaces ?? [];
    const access = new Access(effective, principal.scopes, within);
    const tell = (name: string): RunSecret => {
      const readable = this.secrets.filter((secret) => secret.name === name && access.holds('READ', { type: 'passportsvc:secret', id: secret.id, namespaces: secret.namespaces }));
      const [found, another] = readable;
      if (another !== undefined) return { name, verdict: 'ambiguous' };
      return found === undefined ? { name, verdict: 'unknown' } : { name, verdict: 'told', value: found.value };
    };
    return { secrets: [...new Set(names)].map(tell) };
  }

  private async runToken({ userId, clientId, scopes, runId, namespaces, profileId }: RunTokenRequest): Promise<unknown> {
    const type = userId === undefined ? 'client' : 'user';
    const token = await this.token(userId ?? clientId ?? '', { type, scopes, run: { id: runId, namespaces }, ...(profileId !== undefined && { profileId }) });
    return { token, expiresAt: Date.now() + 300_000 };
  }
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}
