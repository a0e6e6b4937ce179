import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { describeErrors } from './describe-errors';

export interface OpenApiInfo {
  readonly title: string;
  /** Markdown. Says what the service decides where the specification is silent. */
  readonly description: string;
}

export function buildOpenApi(app: INestApplication, info: OpenApiInfo): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(info.title)
    .setDescription(`${info.description}\n\n${CONDITIONS}`)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .build();
  return describeErrors(withOwnIds(SwaggerModule.createDocument(app, config, { operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}` })));
}

/** Ids are unique within a document. A method that serves several paths, or a class made for several nouns, takes its path as its name. */
function withOwnIds(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ operation: item[method], pathId: `${method}_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}` }] : [])));
  const taken = new Map<string | undefined, number>();
  for (const { operation } of operations) taken.set(operation.operationId, (taken.get(operation.operationId) ?? 0) + 1);
  for (const { operation, pathId } of operations) if ((taken.get(operation.operationId) ?? 0) > 1) operation.operationId = pathId;
  return document;
}

/** Contract 0.2; what holds for every operation alike. */
const CONDITIONS = [
  'A GET of one record has an `ETag`; `If-None-Match` answers 304, a PUT, PATCH or DELETE with a stale `If-Match` 412.',
  'With an `Idempotency-Key` (1 to 255 ASCII characters) on a POST, PUT, PATCH or DELETE the same caller, route, key and body get the first answer again for 24 hours (`Idempotent-Replayed: true`);',
  'another body 422, while the first runs 409. Answers of 500 and above, 401 and 429 are not kept.',
].join(' ');

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/** `/<service>/api/v1/openapi.json` and a browsable reference at `/<service>/api/docs`, with assets that the service holds. */
export function serveOpenApi(app: INestApplication, service: string, info: OpenApiInfo): void {
  SwaggerModule.setup(`${service}/api/docs`, app, () => buildOpenApi(app, info), {
    jsonDocumentUrl: `${service}/api/v1/openapi.json`,
    yamlDocumentUrl: `${service}/api/v1/openapi.yaml`,
    customSiteTitle: info.title,
  });
}
