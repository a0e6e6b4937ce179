import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations';

/** `operationId`, or `operationId media/type` where bodies of several kinds differ → a body that a client could send: a value, or text where it is no JSON. */
export type BodyExamples = Readonly<Record<string, unknown>>;

/** An example for every body of a request: generated references show it, and a test sends it. Which has none is said by tools/openapi/openapi.spec.ts. */
export function describeBodies(document: OpenAPIObject, examples: BodyExamples): OpenAPIObject {
  for (const { operation: { operationId = '', requestBody } } of operationsOf(document)) {
    if (requestBody === undefined || '$ref' in requestBody) continue;
    for (const [type, media] of Object.entries(requestBody.content)) media.example ??= examples[`${operationId} ${type}`] ?? examples[operationId];
  }
  return document;
}
