import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiForbiddenResponse, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import { type Action, type ResourceType, scopeFor } from '@twinyard/conventions';
import { OAUTH } from '@twinyard/service-kit';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from './request-context';

export type NamespaceFilter = 'required' | 'optional' | 'ignored';

export type RouteRule =
  | { readonly kind: 'allow'; readonly action: Action; readonly type: ResourceType; readonly nsfilter: NamespaceFilter; readonly queryToken: boolean }
  | { readonly kind: 'signed-in'; readonly scope: SignedInScope; readonly runs: boolean }
  | { readonly kind: 'public' };

/** `by method`: `write` for whatever changes something. `own`: the service asks, for scopes of its own or for each entry. */
export type SignedInScope = 'by method' | 'read' | 'own';

export const ROUTE_RULE = 'twinyard:route-rule';

export interface AllowOptions {
  /** Whether the `nsfilter` parameter must be there (400 when missing), may be, or is ignored. Default: required. */
  readonly nsfilter?: NamespaceFilter;
  /** Also take the token from the query parameter `access_token` (contract 0.1: `script.js` only). */
  readonly queryToken?: boolean;
}

/**
 * Who may call a route: the holder of `action` on records of `type`. The guard checks the token, its scope and
 * `nsfilter`; the service asks `ctx.access` about the record itself, and an answer without that question is withheld.
 */
export const Allow = (action: Action, type: ResourceType, { nsfilter = 'required', queryToken = false }: AllowOptions = {}) =>
  applyDecorators(
    SetMetadata(ROUTE_RULE, { kind: 'allow', action, type, nsfilter, queryToken } satisfies RouteRule),
    ApiBearerAuth(),
    ApiSecurity(OAUTH, [scopeFor(action)]),
    ApiForbiddenResponse({ description: `Without ${action} on ${type}` }),
    ...(nsfilter === 'ignored' ? [] : [ApiQuery({ name: 'nsfilter', required: nsfilter === 'required', type: String, isArray: true })]),
  );

export interface SignedInOptions {
  /** Default: `write` for every method but GET. */
  readonly scope?: SignedInScope;
  /** Scopes of its own that the service asks for: the reference names them, the service refuses. */
  readonly needs?: readonly string[];
  /** Whether the token of a run may ask. Default: no, since it stands for a run and not for whoever started it. */
  readonly runs?: boolean;
}

/** Any signed-in caller, about itself; the service decides by who it is. */
export const AllowSignedIn = ({ scope = 'by method', needs, runs = false }: SignedInOptions = {}) =>
  applyDecorators(
    SetMetadata(ROUTE_RULE, { kind: 'signed-in', scope, runs } satisfies RouteRule),
    ApiBearerAuth(),
    ...(needs === undefined && scope === 'by method' ? [] : [ApiSecurity(OAUTH, [...(needs ?? (scope === 'read' ? ['read'] : []))])]),
  );

/** Anybody, without a token. */
export const Public = () => SetMetadata(ROUTE_RULE, { kind: 'public' } satisfies RouteRule);

export interface AuthenticatedRequest extends FastifyRequest {
  ctx?: RequestContext;
  /** The service has to ask `ctx.access` before it answers. */
  mustConsult?: boolean;
}

/** The caller, on routes with `@Allow` or `@AllowSignedIn`. */
export const Ctx = createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
  const { ctx } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (ctx === undefined) throw new Error('@Ctx() on a route that nobody signs in to');
  return ctx;
});
