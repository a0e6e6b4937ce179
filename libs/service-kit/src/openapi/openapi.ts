import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { describeErrors } from './describe-errors';
import { describeParameters } from './describe-parameters';

export interface OpenApiInfo {
  readonly title: string;
  /** Markdown, for its users: it knows neither specification nor contract. */
  readonly description: string;
  /** Of handlers that serve several paths: `GET /path/{id}` → the operation's id there, in the place of the one that it says itself. */
  readonly operationIds?: Readonly<Record<string, string>>;
}

export function buildOpenApi(app: INestApplication, info: OpenApiInfo): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(info.title)
    .setDescription(`${info.description}\n\n${CONDITIONS}`)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .build();
  return describeParameters(describeErrors(withOwnIds(SwaggerModule.createDocument(app, config), info.operationIds ?? {})));
}

function withOwnIds(document: OpenAPIObject, own: Readonly<Record<string, string>>): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      const id = own[`${method.toUpperCase()} ${path}`];
      if (operation !== undefined && id !== undefined) operation.operationId = id;
    }
  }
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
