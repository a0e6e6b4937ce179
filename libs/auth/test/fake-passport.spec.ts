import { describePassportProtocol, FakePassport } from '@twinyard/testing';

describePassportProtocol('in memory', async () => {
  const fake = await FakePassport.start();
  fake.addUser({ id: 'alice' });
  return {
    url: fake.url, baseUrl: fake.baseUrl, serviceToken: fake.serviceToken, userId: 'alice',
    token: () => fake.token('alice'),
    grantRead: (namespace) => fake.grant('alice', namespace, ['READ']),
    disable: () => fake.disable('alice'),
    stop: () => fake.stop(),
  };
});
