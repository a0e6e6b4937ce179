import type { z } from 'zod';
import { filesvc } from './catalogue/filesvc';
import { itemsvc } from './catalogue/itemsvc';
import { namespaces } from './catalogue/namespaces';
import { aisvc, datasourcesvc, notificationsvc } from './catalogue/others';
import { passportsvc } from './catalogue/passportsvc';
import type { Contract } from './contract';
import type { Topic } from './topics';

/** Everything that is ever published, by resource type. A type that is not here can be neither published nor subscribed to. */
export const CATALOGUE = { ...passportsvc, ...itemsvc, ...filesvc, ...datasourcesvc, ...aisvc, ...notificationsvc, ...namespaces };

/** `filesvc.File`, `itemsvc.RelatedItems`, … */
export type ResourceType = keyof typeof CATALOGUE;

export const RESOURCE_TYPES = Object.keys(CATALOGUE) as ResourceType[];

export const isResourceType = (name: string): name is ResourceType => Object.hasOwn(CATALOGUE, name);

/** What a publisher says of a resource: all of it but `type`. */
export type ResourceFields<T extends ResourceType> = z.output<(typeof CATALOGUE)[T]['resource']>;

export const contractOf = (type: ResourceType): Contract => CATALOGUE[type] as unknown as Contract;

export const topicOf = (type: ResourceType): Topic => CATALOGUE[type].topic;
