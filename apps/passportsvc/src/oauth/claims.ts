import type { AccountClaims } from 'oidc-provider';
import { displayNameOf, type UserEntity } from '../users/user.entity';

/** OpenID Connect Core section 5.1. */
export const toClaims = (user: UserEntity): AccountClaims => ({
  sub: user.id,
  name: displayNameOf(user),
  ...(user.firstname !== '' && { given_name: user.firstname }),
  ...(user.lastname !== '' && { family_name: user.lastname }),
  ...(user.locale !== null && { locale: user.locale }),
  email: user.email,
  email_verified: user.emailVerified,
});
