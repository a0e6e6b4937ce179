type Fields = Readonly<Record<string, unknown>>;

/** The event as a CloudEvent 1.0 in structured JSON; `data` is its public form (contract 0.5). */
export function toWebhookBody(event: Fields): Fields {
  const resource = event['resource'] as Fields;
  return {
    specversion: '1.0',
    id: event['uuid'],
    source: `/${String(resource['type']).split('.')[0]}`,
    type: event['event'],
    subject: resource['_irn'],
    time: event['timestamp'],
    datacontenttype: 'application/json',
    data: event,
  };
}
