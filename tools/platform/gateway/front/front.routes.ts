import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAcceptEncoding, weightOf } from '@twinyard/conventions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../client-address';
import { OWN_METHODS } from '../routing';
import { frontBody, frontPage } from './front-page';
import { guidePages, GUIDES } from './guides';
import { FAVICONS, FRONT_CSS, PAGE_HEADERS, PLAN } from './page';
import { CALLBACK, callbackPage, REFERENCE, REFERENCE_HEADERS, referencePage, refusedPage, SCALAR, SCALAR_NAMES, scalarScript, SCRIPT_HEADERS } from './reference/reference-page';
import { MERGED_PATH, mergedReference } from './reference/merged-reference';

const stylesheet = readFileSync(join(__dirname, 'front.css'), 'utf8');
const plan = readFileSync(join(__dirname, 'plan.svg'), 'utf8');
const favicon = readFileSync(join(__dirname, 'favicon.svg'), 'utf8');
const scalarNames = readFileSync(join(__dirname, 'reference', 'scalar-names.mjs'), 'utf8');

/** Path → media type and content. */
const FILES: Readonly<Record<string, readonly [type: string, content: string]>> = {
  [FRONT_CSS]: ['text/css; charset=utf-8', stylesheet],
  [PLAN]: ['image/svg+xml', plan],
  [SCALAR_NAMES]: ['text/javascript; charset=utf-8', scalarNames],
  ...Object.fromEntries(FAVICONS.map((path) => [path, ['image/svg+xml', favicon] as const])),
};

const FILE_HEADERS = { 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' } as const;
const DOCUMENT_HEADERS = { 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' } as const;

/** What the front of the platform answers, beside its services. */
export const FRONT_PATHS: readonly string[] = ['/', MERGED_PATH, REFERENCE, CALLBACK, SCALAR, ...Object.keys(FILES), ...GUIDES.map(({ path }) => path)];

export interface FrontSettings {
  readonly baseUrl: string;
  readonly dataDir: string | undefined;
}

/** The page at `/`, the guides, and what they need. */
export function serveFront(gateway: FastifyInstance, { baseUrl, dataDir }: FrontSettings): void {
  const serve = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>) => gateway.route({ method: [...OWN_METHODS], url, handler });
  const [page, pageHere] = [frontPage(), frontPage(dataDir)];
  serve('/', (request, reply) => {
    void reply.header('Vary', 'Accept');
    return wantsPage(request) ? reply.headers(PAGE_HEADERS).send(isOfThisMachine(request) ? pageHere : page) : reply.send(frontBody);
  });
  serve(MERGED_PATH, (_request, reply) => reply.type('application/json; charset=utf-8').headers(DOCUMENT_HEADERS).send(mergedReference()));
  const reference = referencePage(baseUrl);
  serve(REFERENCE, (_request, reply) => reply.headers(REFERENCE_HEADERS).send(reference));
  serve(CALLBACK, ({ query }, reply) => reply.headers(PAGE_HEADERS).send((query as { readonly error?: unknown }).error === undefined ? callbackPage : refusedPage));
  serve(SCALAR, sendScalar);
  const pageOf = guidePages(baseUrl);
  for (const guide of GUIDES) serve(guide.path, (_request, reply) => reply.headers(PAGE_HEADERS).send(pageOf(guide)));
  for (const [url, [type, content]] of Object.entries(FILES)) serve(url, (_request, reply) => reply.type(type).headers(FILE_HEADERS).send(content));
}

async function sendScalar({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { plain, packed } = await scalarScript();
  const accepted = parseAcceptEncoding(String(headers['accept-encoding'] ?? ''));
  void reply.headers(SCRIPT_HEADERS);
  return accepted !== undefined && weightOf(accepted, 'gzip') > 0 ? reply.header('Content-Encoding', 'gzip').send(packed) : reply.send(plain);
}

const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

/** A proxy of this machine speaks for others. */
const isOfThisMachine = (request: FastifyRequest) =>
  ['127.0.0.1', '::1'].includes(addressOf(request, 0)) && request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined;
