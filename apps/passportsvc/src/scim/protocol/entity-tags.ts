import { ServiceError } from '@twinyard/conventions';
import type { FastifyRequest } from 'fastify';

/** RFC 9110 section 13.1.2 compares weakly. RFC 7644 section 3.14 does so too where a change is guarded by a weak tag of its own. */
const names = (header: string, version: string) => header.trim() === '*' || header.split(',').some((tag) => weak(tag) === weak(version));
const weak = (tag: string) => tag.trim().replace(/^W\//, '');

export function requireMatch({ headers }: FastifyRequest, version: string): void {
  const header = headers['if-match'];
  if (header !== undefined && !names(header, version)) throw new ServiceError('precondition_failed', 'The user was changed meanwhile; its version is another one');
}

export function isUnchanged({ headers }: FastifyRequest, version: string): boolean {
  const header = headers['if-none-match'];
  return header !== undefined && names(header, version);
}
