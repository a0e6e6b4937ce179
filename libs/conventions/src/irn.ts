import { invalidField } from './errors';

/** `<service>:<resource type>:<id>`; a `*` stands for any at its level (contract 0.4). */
export interface Irn {
  readonly service: string;
  readonly type: string;
  readonly id: string;
}

export const IRN_PATTERN = /^(\*|[a-z][a-z0-9]*):(\*|[a-z][a-z0-9_]*):(\*|[A-Za-z0-9_.-]{1,128})$/;

export function parseIrn(text: string, field = '_irn'): Irn {
  const match = IRN_PATTERN.exec(text);
  if (!match) throw invalidField(field, 'must have the form <service>:<resource type>:<id>');
  return { service: match[1] as string, type: match[2] as string, id: match[3] as string };
}

export const formatIrn = (service: string, type: string, id: string) => `${service}:${type}:${id}`;

/** Whether `pattern` covers all that `target` names (`target` may itself hold `*`). */
export function irnCovers(pattern: Irn, target: Irn): boolean {
  return covers(pattern.service, target.service) && covers(pattern.type, target.type) && covers(pattern.id, target.id);
}

const covers = (pattern: string, target: string) => pattern === '*' || pattern === target;
