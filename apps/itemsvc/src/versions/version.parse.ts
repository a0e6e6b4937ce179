import { Issues } from '../storage/issues';
import { isObject } from '../storage/filters';
import { invalidField } from '@twinyard/conventions';
import type { VersionContent } from './version';

/** Both fields optional; whole old records may be sent, of which the rest is ignored (contract 2.2). */
export function parseVersionContent(body: unknown): VersionContent {
  if (body !== undefined && body !== null && !isObject(body)) throw invalidField('body', 'must be an object');
  const source = isObject(body) ? body : {};
  const issues = new Issues();
  const userAttributes = issues.object(source, '_userAttributes', '');
  issues.refuse();
  const userData = source['_userData'];
  return { ...(userAttributes && { userAttributes }), ...(userData !== undefined && { userData }) };
}
