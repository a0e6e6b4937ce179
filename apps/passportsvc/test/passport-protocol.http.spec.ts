import { GrantFeed } from '../src/grant-feed/grant-feed.service';
import { PermissionsRepository } from '../src/permissions/permissions.repository';
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
    grantRead: (namespace) =>
      feed.commit(async (tx) => {
        await passport.app.get(PermissionsRepository).grant(tx, { namespace, actions: ['READ'], irn: '*:*:*', user: { type: 'user', id: userId }, createdById: userId });
        return { result: undefined, keys };
      }),
    disable: () =>
      feed.commit(async (tx) => {
        await users.update(tx, userId, { disabled: true });
        return { result: undefined, keys };
      }),
    stop: () => passport.stop(),
  };
});
