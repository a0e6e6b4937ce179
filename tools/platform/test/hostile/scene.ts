import type { Fields } from '../../../tour/api';

/** What the attackers' process is told: where the platform is, who they are there, and what they have made before. */
export interface Scene {
  /** Of the gateway, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** That the attackers call from: an address of loopback that nobody else uses. */
  readonly address: string;
  /** Of the hostile tenant's owner. */
  readonly token: string;
  readonly namespace: string;
  /** A collection of 2,000 small items. */
  readonly collection: Fields;
  /** A collection of items of 8 MB each. */
  readonly large: Fields;
  /** A telemetry collection whose readings go through a script that never has enough memory. */
  readonly telemetry: Fields;
  readonly sensor: Fields;
  /** A telemetry collection without a script, full of readings. */
  readonly history: Fields;
  /** Where the receiver that drips has to listen: the trigger on new files posts there. */
  readonly receiverPort: number;
  readonly folder: string;
}

/** How often it was answered with what, by the name of an attack: in the words of `inWords`, or of the attack itself. */
export type Tally = Record<string, Record<string, number>>;
