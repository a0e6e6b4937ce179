// `node dist/bench/identity/bare-provider.js`: oidc-provider and nothing else, for comparison. Prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { BARE_CLIENT, BARE_RESOURCE } from './bare-client';

/**
 * The library as its documentation shows it: its own adapter in memory, one client, and access tokens as ours are (JWT, ES256 with
 * a key on P-256, half an hour), since signing is the work that both have to do. No other feature, no middleware, no log.
 */
async function main(): Promise<void> {
  const { Provider } = await import('oidc-provider');
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider('http://127.0.0.1', {
    clients: [{ client_id: BARE_CLIENT.id, client_secret: BARE_CLIENT.secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'bare' }] as never },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    scopes: ['read', 'write'],
    ttl: { ClientCredentials: 1_800 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => BARE_RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'read write', audience: BARE_RESOURCE, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
      },
    },
  });
  const server = createServer(provider.callback());
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
