import type { Resource } from '../resources/resource';

/** Why a notification is not sent although nothing failed. */
export class Skipped extends Error {}

/** The records that one delivery needs, as they are now. */
export interface DeliveryParts {
  readonly subscription: Resource;
  readonly device: Resource;
  readonly sender: Resource;
  readonly template: Resource;
  readonly group: Resource;
}
