import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { RouteRule } from '../deployment/manifests';
import type { Kubectl } from './kubectl';

interface Ingress {
  readonly spec: { readonly rules: readonly RouteRule[] };
}

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly name?: string; readonly port: number }[] };
}

interface Way {
  readonly host: string;
  readonly path: string;
  readonly address: string;
  readonly port: number;
}

const PORT = 80;

/** In the place of a controller for Ingresses: leads requests by host and path to the Services that the platform's Ingress names, each on a connection of its own. */
export class WayIn {
  /** `gateway` leads everything through the platform's own gateway, as where nothing in front knows the services. */
  private constructor(private readonly byPaths: Server, private readonly gateway: Server) {}

  static async open(kubectl: Kubectl, namespace: string): Promise<WayIn> {
    const { items: ingresses } = await kubectl.json<{ items: Ingress[] }>('--namespace', namespace, 'get', 'ingress');
    const { items: services } = await kubectl.json<{ items: Service[] }>('--namespace', namespace, 'get', 'service');
    const ways = ingresses.flatMap(({ spec }) => spec.rules).flatMap(({ host = '', http }) => (http?.paths ?? []).map(({ path, backend: { service } }): Way => {
      const found = services.find(({ metadata }) => metadata.name === service.name)?.spec;
      const port = found?.ports.find(({ name }) => name === service.port.name)?.port;
      if (found === undefined || port === undefined) throw new Error(`the Ingress leads to ${service.name}, which there is not`);
      return { host, path, address: found.clusterIP, port };
    })).sort((one, other) => other.path.length - one.path.length);
    return new WayIn(await listen(PORT, ways), await listen(0, ways.filter(({ path }) => path === '/')));
  }

  /** Where the platform's own gateway is behind all paths. */
  get gatewayPort(): number {
    return (this.gateway.address() as AddressInfo).port;
  }

  close(): void {
    for (const server of [this.byPaths, this.gateway]) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function listen(port: number, ways: readonly Way[]): Promise<Server> {
  const server = createServer((incoming, answer) => void lead(ways, incoming, answer));
  return new Promise((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server)));
}

/** As `pathType: Prefix` has it: by whole segments. */
const leadsTo = ({ host, path }: Way, asked: { readonly host: string; readonly path: string }) => host === asked.host && `${asked.path}/`.startsWith(path.endsWith('/') ? path : `${path}/`);

async function lead(ways: readonly Way[], incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const [host = '', [path = '']] = [incoming.headers.host?.split(':')[0], (incoming.url ?? '/').split('?')];
  const way = ways.find((one) => leadsTo(one, { host, path }));
  if (way === undefined) return void answer.writeHead(404).end();
  const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '', 'x-forwarded-host': host, 'x-forwarded-proto': 'http' };
  try {
    const outgoing = request({ host: way.address, port: way.port, method: incoming.method, path: incoming.url, headers, agent: false });
    const answered = new Promise<IncomingMessage>((resolve, reject) => void outgoing.once('response', resolve).once('error', reject));
    incoming.pipe(outgoing);
    const response = await answered;
    const { connection: _own, ...passed } = response.headers;
    answer.writeHead(response.statusCode ?? 502, passed);
    await pipeline(response, answer);
  } catch (error) {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502).end(`${way.address}: ${(error as Error).message}`);
  }
}
