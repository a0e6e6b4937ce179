import type { IHeaders, Message } from 'kafkajs';
import type { CloudEvent } from '../../contract/cloud-event';
import type { BusMessage } from '../event-bus';

/** A record with the name of its topic in Kafka. */
export interface TopicRecord extends Message {
  readonly topic: string;
}

/** A dead letter on its way back: for one group alone. */
export interface Redelivery {
  readonly group: string;
  readonly letterId: string;
}

export interface ReceivedEvent {
  readonly event: CloudEvent;
  readonly redelivery?: Redelivery;
}

/** CloudEvents' Kafka binding, structured mode: the value is the event, and a header says so. */
const CONTENT_TYPE = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };
const GROUP = 'twinyard-group';
const LETTER = 'twinyard-letter';

export const recordOf = ({ event }: BusMessage, topic: string): TopicRecord => ({
  topic, key: event.partitionkey, value: JSON.stringify(event), headers: CONTENT_TYPE,
});

export function redeliveryOf(message: BusMessage, topic: string, { group, letterId }: Redelivery): TopicRecord {
  return { ...recordOf(message, topic), headers: { ...CONTENT_TYPE, [GROUP]: group, [LETTER]: letterId } };
}

/** Nothing for a record that is no event; only a stranger can have written it. */
export function readRecord({ value, headers = {} }: { readonly value: Buffer | null; readonly headers?: IHeaders | undefined }): ReceivedEvent | undefined {
  const event = eventOf(value);
  const [group, letterId] = [textOf(headers[GROUP]), textOf(headers[LETTER])];
  if (!event) return undefined;
  return group && letterId ? { event, redelivery: { group, letterId } } : { event };
}

export function eventOf(value: Buffer | null): CloudEvent | undefined {
  try {
    const parsed = JSON.parse(value?.toString() ?? '') as CloudEvent | null;
    return parsed?.specversion === '1.0' && typeof parsed.data?.resource?.type === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(header: IHeaders[string]): string | undefined {
  const first = Array.isArray(header) ? header[0] : header;
  return first?.toString();
}
