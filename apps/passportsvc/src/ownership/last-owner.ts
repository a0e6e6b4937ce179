import { ServiceError } from '@twinyard/conventions';

/** Contract 0.4. The namespaces are for the code alone: whoever takes somebody out of a group need not know what the group owns. */
export class LastOwnerError extends ServiceError {
  constructor(readonly namespaces: readonly string[]) {
    super('last_owner', 'This would leave a namespace without an owner: give somebody else `*` on `*:*:*` there first');
  }
}

/** Of the whole platform. */
export const lastManager = () => new ServiceError('last_owner', 'This is the last platform manager who can sign in');
