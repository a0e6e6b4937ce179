import { Issues } from '../storage/issues';
import { checkDepth } from '../storage/property-names';
import { isObject } from '../storage/filters';
import { invalidField } from '@twinyard/conventions';
import type { VersionContent } from './version';

/** Both fields optional; whole old records may be sent, of which the rest is ignored (contract 2.2). */
export function parseVersionContent(body: unknown): VersionContent {
  if (body !== undefined && body !== null && !isObject(body)) throw invalidField('body', 'must be an object');
  const source = isObject(body) ? body : {};
  const issues = new Issues();
  const userAttributes = issues.object(source, '_userAttributes', '');
  const userData = source['_userData'];
  checkDepth(userAttributes, '_userAttributes', issues);
  checkDepth(userData, '_userData', issues);
  issues.refuse();
  return { ...(userAttributes && { userAttributes }), ...(userData !== undefined && { userData }) };
}
