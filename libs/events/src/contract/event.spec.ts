import { CATALOGUE, contractOf, RESOURCE_TYPES, topicOf } from './catalogue';
import { fromCloudEvent, innerNameOf, toCloudEvent } from './cloud-event';
import { resourceCreated, resourceDeleted, type ResourceEvent, resourceUpdated, toPublicEvent } from './event';
import { TOPICS } from './topics';

const ORIGIN = { userId: 'user-1', requestId: 'request-1' };
const VERSION = { _id: 'v1', _irn: 'filesvc:file:f1', _name: 'plan.ifc', _namespaces: ['ns_1'], _fileId: 'f1', _version: 2, _fileSize: 9, _graphics: false };

describe('events', () => {
  it('have the public form of contract 0.5', () => {
    const event = resourceUpdated('filesvc.FileVersion', VERSION, ORIGIN);
    expect(toPublicEvent(event)).toEqual({
      event: 'resource.ResourceUpdated',
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resource: { type: 'filesvc.FileVersion', ...VERSION },
      user: { id: 'user-1' },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'request-1',
    });
  });

  it('travel as CloudEvents 1.0 and come back as they were', () => {
    const event = resourceDeleted('filesvc.FileVersion', VERSION, ORIGIN);
    const cloudEvent = toCloudEvent(event, 12);
    expect(cloudEvent).toEqual({
      specversion: '1.0',
      id: event.uuid,
      source: '/filesvc',
      type: 'filesvc.fileversion.deleted',
      subject: 'filesvc:file:f1',
      time: event.timestamp,
      datacontenttype: 'application/json',
      partitionkey: 'f1',
      sequence: '00000000000000000012',
      data: toPublicEvent(event),
    });
    expect(fromCloudEvent(JSON.parse(JSON.stringify(cloudEvent)) as typeof cloudEvent)).toEqual({ ...event, sequence: 12 });
  });

  it('bring the address of their request beside the public form, and need none', () => {
    const event = resourceUpdated('filesvc.FileVersion', VERSION, { ...ORIGIN, address: '203.0.113.7' });
    expect(toCloudEvent(event, 1)).toMatchObject({ clientaddress: '203.0.113.7', data: toPublicEvent(event) });
    expect(JSON.stringify(toCloudEvent(event, 1).data)).not.toContain('203.0.113.7');
    expect(fromCloudEvent(toCloudEvent(event, 1))).toEqual({ ...event, sequence: 1 });
    expect(fromCloudEvent(toCloudEvent(resourceUpdated('filesvc.FileVersion', VERSION, { ...ORIGIN, address: '' }), 1))).not.toHaveProperty('address');
  });

  it('leave out what the contract does not know, and refuse what it needs and does not get', () => {
    const more = { ...VERSION, _secret: 'x' };
    expect(resourceCreated('filesvc.FileVersion', more, ORIGIN).resource).not.toHaveProperty('_secret');
    expect(() => resourceCreated('filesvc.FileVersion', { ...VERSION, _fileSize: -1 }, ORIGIN)).toThrow(/_fileSize/);
    // @ts-expect-error a field is missing
    expect(() => resourceCreated('filesvc.FileVersion', { _id: 'v1', _irn: 'x', _namespaces: [] }, ORIGIN)).toThrow(/_fileId/);
    // @ts-expect-error there is no such type
    expect(() => resourceCreated('filesvc.Hologram', VERSION, ORIGIN)).toThrow();
  });

  it('are told apart by their type', () => {
    const read = (event: ResourceEvent<'filesvc.File' | 'aisvc.Team'>): number | undefined => {
      // @ts-expect-error a team has no size
      void event.resource._fileSize;
      return event.resource.type === 'filesvc.File' ? event.resource._fileSize : undefined;
    };
    expect(read).toBeInstanceOf(Function);
  });
});

describe('the catalogue', () => {
  it.each(RESOURCE_TYPES)('%s has a topic of its service, a key that is a field, and a name of its own', (type) => {
    const { keyField, resource } = contractOf(type);
    expect(TOPICS).toContain(topicOf(type));
    expect(topicOf(type).split('.')[0]).toBe(type.split('.')[0]);
    expect(Object.keys(resource.shape)).toContain(keyField);
    expect(RESOURCE_TYPES.filter((other) => innerNameOf(other, 'resource.ResourceCreated') === innerNameOf(type, 'resource.ResourceCreated'))).toEqual([type]);
  });

  it('uses every topic', () => {
    expect(new Set(Object.values(CATALOGUE).map(({ topic }) => topic))).toEqual(new Set(TOPICS));
  });
});
