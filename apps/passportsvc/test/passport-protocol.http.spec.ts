import { authoredBy, newUuid } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { GrantFeed } from '../src/grant-feed/grant-feed.service';
import { PermissionProfileEntity } from '../src/permissionprofiles/permission-profile.entity';
import { PermissionProfilesRepository } from '../src/permissionprofiles/permission-profiles.repository';
import { PermissionsRepository } from '../src/permissions/permissions.repository';
import { SecretEntity } from '../src/secrets/secret.entity';
import { SecretValues } from '../src/secrets/secret-values';
import { SecretsRepository } from '../src/secrets/secrets.repository';
import { UsersRepository } from '../src/users/users.repository';
import { describePassportProtocol } from '@twinyard/testing';
import { ADMIN, startPassport } from './passport-app';
import { tokensOf } from './sign-in';

describePassportProtocol('passportsvc itself', async () => {
  const passport = await startPassport();
  const feed = passport.app.get(GrantFeed);
  const users = passport.app.get(UsersRepository, { strict: false });
  const userId = (await users.findByEmail(ADMIN.email))?.id ?? '';
  const keys = [`user:${userId}`];
  return {
    url: passport.baseUrl, baseUrl: passport.baseUrl, serviceToken: passport.settings.SERVICE_TOKEN, userId,
    token: async () => (await tokensOf(passport.baseUrl)).access_token,
    grant: (namespace, actions, irn) =>
      feed.commit(async (tx) => {
        await passport.app.get(PermissionsRepository).grant(tx, { namespace, actions, irn, user: { type: 'user', id: userId }, createdById: userId });
        return { result: undefined, keys };
      }),
    addProfile: (namespaces) =>
      feed.commit(async (tx) => {
        const id = newUuid();
        const profile = Object.assign(new PermissionProfileEntity(), { id, name: id, userType: 'import', namespaces: [...namespaces], ...authoredBy(userId) });
        await passport.app.get(PermissionProfilesRepository).insert(tx, profile);
        return { result: id, keys: [] };
      }),
    addSecret: async (name, value, namespaces) => {
      const placed = { id: newUuid(), namespaces: [...namespaces] };
      const sealed = await passport.app.get(SecretValues, { strict: false }).seal(placed, value);
      const secret = Object.assign(new SecretEntity(), { ...placed, ...sealed, name, description: '', userType: null, revision: 1, ...authoredBy(userId) });
      await passport.app.get(TypeOrmUnitOfWork, { strict: false }).run((tx) => passport.app.get(SecretsRepository, { strict: false }).insert(tx, secret));
      return placed.id;
    },
    disable: () =>
      feed.commit(async (tx) => {
        await users.update(tx, userId, { disabled: true });
        return { result: undefined, keys };
      }),
    stop: () => passport.stop(),
  };
});
