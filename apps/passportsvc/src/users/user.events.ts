import { formatIrn } from '@twinyard/conventions';
import { type EventOrigin, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { displayNameOf, type UserEntity } from './user.entity';

/** Published when somebody signs up, or a provider makes a user. */
export const userCreated = (user: UserEntity, origin: EventOrigin) => resourceCreated('passportsvc.User', fieldsOf(user), origin);

/** Published when a user's names or state change. */
export const userUpdated = (user: UserEntity, origin: EventOrigin) => resourceUpdated('passportsvc.User', fieldsOf(user), origin);

/** Published when a provider deletes a user. */
export const userDeleted = (user: UserEntity, origin: EventOrigin) => resourceDeleted('passportsvc.User', fieldsOf(user), origin);

/** The address stays out of it: it says nothing that a name does not. */
const fieldsOf = (user: UserEntity) => ({
  _id: user.id,
  _irn: formatIrn('passportsvc', 'user', user.id),
  _name: displayNameOf({ ...user, email: user.id }),
  _namespaces: [],
  _status: user.disabled ? 'DISABLED' : 'ACTIVE',
});
