import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

const SILENCE_SECONDS = 1;
const LOG = '/datasourcesvc/api/v1/orchrun/logs/x?follow=true';
/** As datasourcesvc sends them. */
const HEAD = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

interface Followed {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

describe('a stream of events through the gateway', () => {
  let upstream: Server;
  let gateway: FastifyInstance;
  let origin: string;
  let upstreams: Record<ServiceName, string>;
  let followed: Followed | undefined;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      followed = { request, response };
      response.writeHead(200, HEAD).write(':\n\n');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    upstreams = Object.fromEntries(SERVICES.map((service) => [service, url])) as Record<ServiceName, string>;
    gateway = await start();
    origin = gateway.listeningOrigin;
  });
  afterAll(async () => {
    upstream.closeAllConnections();
    await gateway.close();
    await new Promise((resolve) => upstream.close(resolve));
  });

  async function start(): Promise<FastifyInstance> {
    const started = await createGateway(gatewaySettingsFor(upstreams, { LINE_SILENCE_SECONDS: String(SILENCE_SECONDS), UPSTREAM_CONNECTION_MS: '20' }));
    await started.listen({ port: 0, host: '127.0.0.1' });
    return started;
  }

  async function follow(init: RequestInit = {}, at = origin) {
    followed = undefined;
    const answer = await fetch(at + LOG, init);
    const reader = answer.body?.getReader();
    const next = async () => {
      const piece = await reader?.read();
      return piece?.value === undefined ? undefined : Buffer.from(piece.value).toString();
    };
    return { answer, next, ...(followed as unknown as Followed) };
  }

  it('is told event by event, with its head, and asked for behind the last one that the reader has', async () => {
    const { answer, next, request, response } = await follow({ headers: { 'Last-Event-ID': '7' } });
    expect([request.url, request.headers['last-event-id']]).toEqual([LOG, '7']);
    expect([answer.status, ...Object.keys(HEAD).map((name) => answer.headers.get(name))]).toEqual([200, ...Object.values(HEAD)]);
    expect(await next()).toBe(':\n\n');
    for (const event of ['id: 8\ndata: {}\n\n', 'id: 9\ndata: {}\n\n']) {
      response.write(event);
      expect(await next()).toBe(event);
    }
    response.end();
    expect(await next()).toBeUndefined();
  });

  it('lives while it has nothing to say, for longer than a caller or a connection may', async () => {
    const { next, response } = await follow();
    expect(await next()).toBe(':\n\n');
    await delay(SILENCE_SECONDS * 3_000);
    response.end('id: 1\ndata: {"end":true}\n\n');
    expect([await next(), await next()]).toEqual(['id: 1\ndata: {"end":true}\n\n', undefined]);
  });

  it('ends at the service when its reader goes away', async () => {
    const reader = new AbortController();
    const { response } = await follow({ signal: reader.signal });
    reader.abort();
    await eventually(() => response.closed);
  });

  it('ends with the gateway, which waits for none of its readers', async () => {
    const stopped = await start();
    const { next, response } = await follow({}, stopped.listeningOrigin);
    expect(await next()).toBe(':\n\n');
    await stopped.close();
    expect(await next()).toBeUndefined();
    await eventually(() => response.closed);
  });
});
