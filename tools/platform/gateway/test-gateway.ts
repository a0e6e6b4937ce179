import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { addressVariable, type GatewaySettings, readGatewaySettings } from './config';

/** As a gateway reads them, in front of these services. */
export function gatewaySettingsFor(upstreams: Readonly<Record<ServiceName, string>>, environment: NodeJS.ProcessEnv = {}): GatewaySettings {
  const addresses = Object.fromEntries(SERVICES.map((service) => [addressVariable(service), upstreams[service]]));
  return readGatewaySettings({ PORT: '0', HOST: '127.0.0.1', BASE_URL: 'https://twins.example', LOG_LEVEL: 'fatal', ...addresses, ...environment });
}
