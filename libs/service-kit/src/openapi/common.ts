import { capitalized, SERVICES } from '@twinyard/conventions';
import type { BodyExamples } from './describe-bodies';
import { EXAMPLE_IDS } from './example-ids';
import type { Tag } from './openapi';

/** Of the routes that every service has. */
export const COMMON_TAG: Tag = { name: 'permissions', description: 'Who may do what with which resources of a namespace. Each service answers for its own, and passportsvc for all' };

const GRANTS = [{
  _namespace: EXAMPLE_IDS.namespace, _actions: ['READ', 'EDIT'], _resourceDesc: { _irn: 'itemsvc:nameduseritem:*' }, _user: { _type: 'user', _id: EXAMPLE_IDS.email },
}];
export const COMMON_EXAMPLES: BodyExamples = Object.fromEntries(['', ...SERVICES.map(capitalized)].map((service) => [`save${service}Permissions`, GRANTS]));
