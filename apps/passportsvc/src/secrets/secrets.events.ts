import type { ResourceFields } from '@twinyard/events';
import { type SecretEntity, secretIrn } from './secret.entity';

/** Nothing of the value, not even its ciphertext. */
export const toSecretEvent = ({ id, name, userType, namespaces }: SecretEntity): ResourceFields<'passportsvc.Secret'> => ({
  _id: id,
  _irn: secretIrn(id),
  _name: name,
  ...(userType !== null && { _userType: userType }),
  _namespaces: namespaces,
});
