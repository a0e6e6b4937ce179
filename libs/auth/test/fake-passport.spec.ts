import { newUuid } from '@twinyard/conventions';
import { describePassportProtocol, FakePassport } from '@twinyard/testing';

describePassportProtocol('in memory', async () => {
  const fake = await FakePassport.start();
  fake.addUser({ id: 'alice' });
  return {
    url: fake.url, baseUrl: fake.baseUrl, serviceToken: fake.serviceToken, userId: 'alice',
    token: () => fake.token('alice'),
    grant: (namespace, actions, irn) => fake.grant('alice', namespace, actions, irn),
    addProfile: async (namespaces) => {
      const id = newUuid();
      fake.addProfile(id, namespaces);
      return id;
    },
    addSecret: async (name, value, namespaces) => fake.addSecret(name, value, namespaces),
    disable: () => fake.disable('alice'),
    stop: () => fake.stop(),
  };
});
