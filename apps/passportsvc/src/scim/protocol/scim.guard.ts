import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '@twinyard/auth';
import { forbidden } from '@twinyard/conventions';

export const SCIM_SCOPE = 'scim';
/** `@AllowSignedIn(BY_SCIM)` */
export const BY_SCIM = { scope: 'own', needs: [SCIM_SCOPE] } as const;

/** Specification 1: SCIM is for programs with a token of their own and the scope for it, never for a user's token. */
@Injectable()
export class ScimGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().ctx?.principal;
    if (principal?.type !== 'client') throw forbidden('SCIM needs a client-credentials token');
    if (!principal.scopes.includes(SCIM_SCOPE)) throw forbidden('SCIM needs a token with the scope `scim`');
    return true;
  }
}
