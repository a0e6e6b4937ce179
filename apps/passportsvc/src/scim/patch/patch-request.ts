import { invalidSyntax } from '../protocol/scim-error';
import { isObject, type Json, type JsonObject } from '../schema/attribute-values';

const OPERATIONS = ['add', 'replace', 'remove'] as const;
export type PatchVerb = (typeof OPERATIONS)[number];

export interface PatchOperation {
  readonly verb: PatchVerb;
  readonly path?: string;
  readonly value?: Json;
}

const MAX_OPERATIONS = 200;

/** RFC 7644 section 3.5.2. Entra ID writes `Replace`, others `replace`: verbs and member names are taken in any letter case. */
export function readPatch(body: unknown): PatchOperation[] {
  const operations = isObject(body) ? member(body, 'operations') : undefined;
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax('Operations: must be an array of at least one operation');
  if (operations.length > MAX_OPERATIONS) throw invalidSyntax(`Operations: has at most ${MAX_OPERATIONS}`);
  return (operations as Json[]).map((operation, index) => readOperation(operation, `Operations[${index}]`));
}

function readOperation(operation: Json, at: string): PatchOperation {
  if (!isObject(operation)) throw invalidSyntax(`${at}: must be an object`);
  const op = member(operation, 'op');
  const verb = OPERATIONS.find((known) => typeof op === 'string' && op.toLowerCase() === known);
  if (verb === undefined) throw invalidSyntax(`${at}.op: must be add, replace or remove`);
  const [path, value] = [member(operation, 'path'), member(operation, 'value')];
  if (path !== undefined && path !== null && typeof path !== 'string') throw invalidSyntax(`${at}.path: must be a text`);
  return { verb, ...(typeof path === 'string' && path.trim() !== '' && { path: path.trim() }), ...(value !== undefined && { value }) };
}

const member = (object: JsonObject, name: string) => Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
