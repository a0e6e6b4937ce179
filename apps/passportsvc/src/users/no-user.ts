import { forbidden, type ServiceError } from '@twinyard/conventions';

/** What people alone have, asked for by a program. */
export const belongsToNoUser = (): ServiceError =>
  forbidden('This token is a client\'s and belongs to no user: sign in as a person, or exchange an access key of theirs for a token (POST /passportsvc/api/v1/auth/token)');
