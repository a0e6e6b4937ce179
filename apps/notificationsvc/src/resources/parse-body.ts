import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import { toInvalid } from '@twinyard/service-kit';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { ResourceDto } from './resource.dto';
import type { ResourceKind } from './resource-kind';

/** Checks a body against the class of its kind and names every bad field at once. */
export function parseBody<D extends ResourceDto>(kind: ResourceKind<D>, body: unknown): D {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw invalidField('body', 'must be an object');
  const dto = plainToInstance(kind.dto, body);
  const errors = validateSync(dto);
  if (errors.length > 0) throw toInvalid(errors);
  if (dto._namespaces !== undefined && !isTexts(dto._namespaces)) throw invalidField('_namespaces', 'must be an array with one namespace');
  return dto;
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** Exactly one namespace, within `nsfilter` where that is given; `nsfilter` where nothing else is. */
export function oneNamespace(ctx: RequestContext, given: readonly string[] | undefined): string {
  const [namespace, ...more] = given ?? ctx.namespaces;
  if (namespace === undefined || more.length > 0) throw invalidField('_namespaces', 'must name exactly one namespace');
  if (ctx.namespaces.length > 0 && !ctx.namespaces.includes(namespace)) throw invalidField('_namespaces', `${namespace} is not in nsfilter`);
  return namespace;
}
