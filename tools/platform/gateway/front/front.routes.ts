import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OWN_METHODS } from '../routing';
import { frontBody, frontPage } from './front-page';
import { guidePages, GUIDES } from './guides';
import { FAVICONS, FRONT_CSS, PAGE_HEADERS, PLAN } from './page';
import { MERGED_PATH, mergedReference } from './references';

const stylesheet = readFileSync(join(__dirname, 'front.css'), 'utf8');
const plan = readFileSync(join(__dirname, 'plan.svg'), 'utf8');
const favicon = readFileSync(join(__dirname, 'favicon.svg'), 'utf8');

/** Path → media type and content. */
const FILES: Readonly<Record<string, readonly [type: string, content: string]>> = {
  [FRONT_CSS]: ['text/css; charset=utf-8', stylesheet],
  [PLAN]: ['image/svg+xml', plan],
  ...Object.fromEntries(FAVICONS.map((path) => [path, ['image/svg+xml', favicon] as const])),
};

/** What the front of the platform answers, beside its services. */
export const FRONT_PATHS: readonly string[] = ['/', MERGED_PATH, ...Object.keys(FILES), ...GUIDES.map(({ path }) => path)];

export interface FrontSettings {
  readonly baseUrl: string;
  readonly dataDir: string | undefined;
}

/** The page at `/`, the guides, and what they need. */
export function serveFront(gateway: FastifyInstance, { baseUrl, dataDir }: FrontSettings): void {
  gateway.route({
    method: [...OWN_METHODS], url: '/',
    handler: (request, reply) => {
      void reply.header('Vary', 'Accept');
      return wantsPage(request) ? reply.headers(PAGE_HEADERS).send(frontPage(isOfThisMachine(request) ? dataDir : undefined)) : reply.send(frontBody);
    },
  });
  gateway.route({ method: [...OWN_METHODS], url: MERGED_PATH, handler: (_request, reply) => reply.type('application/json; charset=utf-8').headers({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' }).send(mergedReference()) });
  const pageOf = guidePages(baseUrl);
  for (const guide of GUIDES) gateway.route({ method: [...OWN_METHODS], url: guide.path, handler: (_request, reply) => reply.headers(PAGE_HEADERS).send(pageOf(guide)) });
  for (const [url, [type, content]] of Object.entries(FILES)) {
    gateway.route({ method: [...OWN_METHODS], url, handler: (_request, reply) => reply.type(type).headers({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' }).send(content) });
  }
}

const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

/** A proxy of this machine speaks for others. */
const isOfThisMachine = ({ raw, headers }: FastifyRequest) =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(raw.socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
