import type { Kind } from '../resources/resource';
import type { DeviceBody } from './device.kind';
import type { SenderBody } from './sender.kind';
import type { SubscriptionBody } from './subscription.kind';
import type { TemplateBody } from './template.kind';
import type { TriggerBody } from './trigger.kind';

interface Bodies {
  readonly device: DeviceBody;
  readonly sender: SenderBody;
  readonly subscription: SubscriptionBody;
  readonly template: TemplateBody;
  readonly trigger: TriggerBody;
}

/** The one place where a stored body gets its type: a record of a kind was written by that kind's `toBody`, and by nothing else. */
export const bodyOf = <K extends Kind & keyof Bodies>(_kind: K, body: Readonly<Record<string, unknown>>): Bodies[K] => body as unknown as Bodies[K];
