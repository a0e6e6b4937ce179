import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Action, beyondScope, forbidden, invalidField, listParameter, type Principal, type QueryValues, scopeAllows, textParameter, unauthenticated } from '@twinyard/conventions';
import { Access } from './access';
import { type AuthenticatedRequest, ROUTE_RULE, type RouteRule } from './decorators';
import { GrantSource } from './grant-source';
import type { EffectiveGrants } from './grants';
import { RequestContext } from './request-context';
import { opensToRuns } from './run-bounds';
import { TokenVerifier } from './token-verifier';
import { ENDED_TOKEN, NO_TOKEN, NOT_A_TOKEN } from './unusable-tokens';

type GuardedRule = Exclude<RouteRule, { kind: 'public' }>;

/** Who is asking, and whether the route is for them. A route without a rule is closed. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenVerifier,
    private readonly grants: GrantSource,
  ) {}

  /** Without a promise where token and grants are known, as they nearly always are. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (rule?.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rule === undefined) throw unauthenticated();
    const token = readToken(request, rule);
    if (token === undefined) throw unauthenticated(NO_TOKEN);
    const principal = this.tokens.known(token);
    const effective = principal && this.grants.known(principal);
    return principal && effective ? enter(request, rule, principal, effective) : this.ask(request, rule, token);
  }

  private async ask(request: AuthenticatedRequest, rule: GuardedRule, token: string): Promise<boolean> {
    if (!TOKEN.test(token)) throw unauthenticated(NOT_A_TOKEN);
    const principal = await this.tokens.verify(token);
    return enter(request, rule, principal, await this.grants.resolve(principal));
  }
}

function enter(request: AuthenticatedRequest, rule: GuardedRule, principal: Principal, effective: EffectiveGrants): true {
  if (!effective.active) throw unauthenticated(ENDED_TOKEN);
  if (principal.run !== undefined && !opensToRuns(rule)) throw forbidden('This is closed to the token of a run');
  requireScope(principal, neededScope(rule, request.method));
  const access = new Access(effective, principal.scopes, requestedNamespaces(request, rule));
  request.ctx = new RequestContext(principal, access, request.id, request.ip);
  request.mustConsult = rule.kind === 'allow';
  return true;
}

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `Bearer <token>` in any letter case, or a bare JWT, which one client sends. */
function readToken(request: AuthenticatedRequest, rule: GuardedRule): string | undefined {
  const header = request.headers.authorization;
  return header === undefined ? queryToken(request, rule) : header.replace(/^Bearer\s+/i, '').trim();
}

const queryToken = (request: AuthenticatedRequest, rule: GuardedRule) =>
  rule.kind === 'allow' && rule.queryToken ? textParameter(request.query as QueryValues, 'access_token') : undefined;

function requireScope(principal: Principal, action: Action | undefined): void {
  if (action !== undefined && !scopeAllows(principal.scopes, action)) throw beyondScope(action);
}

/** The action that the token's scope has to allow; `undefined` where the route asks by itself. */
function neededScope(rule: GuardedRule, method: string): Action | undefined {
  if (rule.kind === 'allow') return rule.action;
  if (rule.scope === 'read') return 'READ';
  return rule.scope === 'own' || method === 'GET' || method === 'HEAD' ? undefined : 'EDIT';
}

function requestedNamespaces(request: AuthenticatedRequest, rule: GuardedRule): readonly string[] | undefined {
  if (rule.kind !== 'allow' || rule.nsfilter === 'ignored') return undefined;
  const names = listParameter(request.query as QueryValues, 'nsfilter');
  if (names !== undefined && names.length > 0) return names;
  if (rule.nsfilter === 'required') throw invalidField('nsfilter', 'is required');
  return undefined;
}
