import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { classesOfRoutes } from '../http/dto-routes';
import { COMMON_EXAMPLES, COMMON_TAG } from './common';
import { type BodyExamples, describeBodies } from './describe-bodies';
import { describeConditions } from './describe-conditions';
import { describeErrors, type ErrorRules } from './describe-errors';
import { describeParameters } from './describe-parameters';
import { asJsonSchema } from './json-schema';
import { completeOperations, OAUTH } from './operations';
import { describeProperties } from './properties/describe-properties';
import { describeRules } from './properties/describe-rules';

export { OAUTH };

export interface OpenApiInfo extends ErrorRules {
  readonly title: string;
  /** Markdown, for its users: it knows neither specification nor contract. */
  readonly description: string;
  /** Of handlers that serve several paths: `GET /path/{id}` → the operation's id there, in the place of the one that it says itself. */
  readonly operationIds?: Readonly<Record<string, string>>;
  /** Its controllers' tags, in the order in which somebody learns of them. */
  readonly tags?: readonly Tag[];
  readonly examples?: BodyExamples;
  /** Classes beside whose properties users' own may stand. */
  readonly open?: readonly string[];
  /** What no class describes, such as the grammar of a query; named `#/components/schemas/<name>` where it is used. */
  readonly schemas?: Readonly<Record<string, object>>;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export function buildOpenApi(app: INestApplication, info: OpenApiInfo): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(info.title)
    .setDescription(`${info.description}\n\n${CONDITIONS}`)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'Where the platform is reached: all services behind one origin')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addOAuth2({ type: 'oauth2', description: 'People sign in by authorization code with PKCE, programs get a token with their client\'s id and secret', flows: FLOWS }, OAUTH)
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'Id and secret of an access key, for a token' })
    .build();
  const document = completeOperations(SwaggerModule.createDocument(app, config), info.operationIds ?? {});
  document.tags = [...(info.tags ?? []), COMMON_TAG];
  document.components = { ...document.components, schemas: { ...opened(document.components?.schemas ?? {}, info.open ?? []), ...info.schemas } };
  const conditional = describeConditions(describeBodies(document, { ...COMMON_EXAMPLES, ...info.examples }), info);
  return asJsonSchema(describeRules(describeProperties(describeParameters(describeErrors(conditional, info))), classesOfRoutes(app)));
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
const opened = (schemas: Schemas, names: readonly string[]): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, names.includes(name) ? { ...schema, additionalProperties: true } : schema]));

const SCOPES = { read: 'See what you may see', write: 'Make and change what you may make and change' };
/** In somebody's name. */
const SCOPES_OF_USERS = { openid: 'Tell who is signed in: an ID token, and `sub` at userinfo', profile: 'Tell their name and language', email: 'Tell their e-mail address', ...SCOPES };
/** In a program's own. */
const SCOPES_OF_CLIENTS = { ...SCOPES, scim: 'Keep users by SCIM, as a directory does', 'download-secrets': 'Read the values of secrets, as a client with `_trusted`' };
const TOKEN_URL = '/passportsvc/api/v2/oauth/token';
const FLOWS = {
  authorizationCode: { authorizationUrl: '/passportsvc/api/v2/oauth/authorize', tokenUrl: TOKEN_URL, refreshUrl: TOKEN_URL, scopes: SCOPES_OF_USERS },
  clientCredentials: { tokenUrl: TOKEN_URL, scopes: SCOPES_OF_CLIENTS },
};

/** Contract 0.2; what holds for every operation alike. */
const CONDITIONS = [
  'A GET of one record has an `ETag`; `If-None-Match` answers 304, a PUT, PATCH or DELETE with a stale `If-Match` 412.',
  'With an `Idempotency-Key` (1 to 255 ASCII characters) on a POST, PUT, PATCH or DELETE the same caller, route, key and body get the first answer again for 24 hours (`Idempotent-Replayed: true`);',
  'another body 422, while the first runs 409. Answers of 500 and above, 401 and 429 are not kept.',
  'Every answer has an `X-Request-Id`, in errors also `requestId`: tell it to whoever runs the platform, whose logs name it.',
].join(' ');

/** `/<service>/api/v1/openapi.json` and a browsable reference at `/<service>/api/docs`, with assets that the service holds. */
export function serveOpenApi(app: INestApplication, service: string, info: OpenApiInfo): void {
  SwaggerModule.setup(`${service}/api/docs`, app, () => buildOpenApi(app, info), {
    jsonDocumentUrl: `${service}/api/v1/openapi.json`,
    yamlDocumentUrl: `${service}/api/v1/openapi.yaml`,
    customSiteTitle: info.title,
  });
}
