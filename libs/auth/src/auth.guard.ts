import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, invalidField, listParameter, type Principal, type QueryValues, scopeAllows, textParameter, unauthenticated } from '@twinyard/conventions';
import { Access } from './access';
import { type AuthenticatedRequest, ROUTE_RULE, type RouteRule } from './decorators';
import { GrantSource } from './grant-source';
import { RequestContext } from './request-context';
import { TokenVerifier } from './token-verifier';

type GuardedRule = Exclude<RouteRule, { kind: 'public' }>;

/** Who is asking, and whether the route is for them. A route without a rule is closed. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenVerifier,
    private readonly grants: GrantSource,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (rule?.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rule === undefined) throw unauthenticated();
    request.ctx = await this.enter(request, rule);
    request.mustConsult = rule.kind === 'allow';
    return true;
  }

  private async enter(request: AuthenticatedRequest, rule: GuardedRule): Promise<RequestContext> {
    const principal = await this.tokens.verify(readToken(request, rule));
    const effective = await this.grants.resolve(principal);
    if (!effective.active) throw unauthenticated();
    if (rule.kind === 'allow') requireScope(principal, rule);
    const access = new Access(effective, principal.scopes, requestedNamespaces(request, rule));
    return new RequestContext(principal, access, request.id, request.ip);
  }
}

/** `Bearer <token>` in any letter case, or a bare JWT, which one client sends. */
function readToken(request: AuthenticatedRequest, rule: GuardedRule): string {
  const header = request.headers.authorization;
  const token = header === undefined ? queryToken(request, rule) : header.replace(/^Bearer\s+/i, '').trim();
  if (token === undefined || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw unauthenticated();
  return token;
}

const queryToken = (request: AuthenticatedRequest, rule: GuardedRule) =>
  rule.kind === 'allow' && rule.queryToken ? textParameter(request.query as QueryValues, 'access_token') : undefined;

function requireScope(principal: Principal, rule: Extract<RouteRule, { kind: 'allow' }>): void {
  if (!scopeAllows(principal.scopes, rule.action)) throw forbidden(`The token's scope does not allow ${rule.action}`);
}

function requestedNamespaces(request: AuthenticatedRequest, rule: GuardedRule): readonly string[] | undefined {
  if (rule.kind !== 'allow' || rule.nsfilter === 'ignored') return undefined;
  const names = listParameter(request.query as QueryValues, 'nsfilter');
  if (names !== undefined && names.length > 0) return names;
  if (rule.nsfilter === 'required') throw invalidField('nsfilter', 'is required');
  return undefined;
}
