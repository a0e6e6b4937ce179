import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { NotificationService } from './notification-service';

describe('mails of triggers', () => {
  let service: NotificationService;
  let names = 0;
  beforeAll(async () => { service = await NotificationService.start(); });
  afterAll(() => service?.stop());

  const sent = async (template: object, sender: object = {}) => {
    const name = `file ${(names += 1)}.ifc`;
    const subscription = await service.subscribe(name, template, sender);
    await service.announce(name);
    return { subscription, mail: await eventually(() => service.mail.find(({ subject }) => subject === name)) };
  };

  it.each([
    ['Questions: Night desk <desk@example.com>', undefined], ['<desk@example.com> has asked', undefined], ['1 < 2 and 3 > 2', undefined], ['Look at <b>this</b>', undefined], ['<https://example.com>', undefined],
    ['<p>Hello</p>', 'TEXT'], ['<!doctype html><p>Hello</p>', 'TEXT'],
  ])('are plain text where they say so, or nothing: %j, %s', async (_body, _format) => {
    const { mail } = await sent({ _body, ...(_format && { _format }) });
    expect([mail.text?.trim(), mail.html]).toEqual([_body, undefined]);
  });

  it.each([
    ['<p>Hello, <b>you</b></p>', undefined], ['\n <!DOCTYPE html>\n<html><body>Hello</body></html>', undefined], ['<!-- a letter --><p>Hello</p>', undefined], ['<br/>Hello', undefined], ['Hello, <b>you</b>', 'HTML'], ['Hello', 'HTML'],
  ])('are HTML where they say so, or begin with a tag: %j, %s', async (_body, _format) => {
    const { mail } = await sent({ _body, ...(_format && { _format }) });
    expect([mail.html?.trim(), mail.text]).toEqual([_body.trim(), undefined]);
  });

  it('keep the format of their template, and refuse others', async () => {
    const template = await service.make('template', { _transport: 'EMAIL', _email: { _subject: 's', _body: 'b', _format: 'TEXT' } });
    expect(template['_email']).toEqual({ _subject: 's', _body: 'b', _format: 'TEXT' });
    const { body } = await service.call('post', 'template').send({ _name: 'bad', _namespaces: ['house_a1B2c3D4'], _transport: 'EMAIL', _email: { _subject: 's', _body: 'b', _format: 'MARKDOWN' } }).expect(400);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual(['_email._format']);
  });

  describe('and one click of a mail program', () => {
    const REDIRECTS = { _redirects: { UNSUBSCRIBE_SUCCESS: 'https://example.com/bye' } };
    const part = 'content-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click';
    const multipart = { type: 'multipart/form-data; boundary=edge', body: `--edge\r\n${part}\r\n--edge--\r\n` };
    const form = { type: 'application/x-www-form-urlencoded', body: 'List-Unsubscribe=One-Click' };
    const statusOf = async ({ _id }: { readonly _id: string }) => (await service.call('get', `subscription/${_id}`).expect(200)).body._status;
    const cancelled = async () => {
      const { mail, subscription } = await sent({ _body: 'Hello' }, REDIRECTS);
      const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? '';
      return { subscription, header, path: new URL(header('list-unsubscribe').slice(1, -1)).pathname };
    };

    it.each([['a form', form], ['parts', multipart]])('cancels as %s, answers 200 and leads nowhere, also when it comes twice', async (_how, { type, body }) => {
      const { subscription, header, path } = await cancelled();
      expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      for (let time = 0; time < 2; time += 1) {
        const answer = await request(service.app.getHttpServer()).post(path).set('content-type', type).send(body).expect(200);
        expect([answer.headers['location'], await statusOf(subscription)]).toEqual([undefined, 'CANCELLED']);
      }
    });

    it('is told apart from the page that asks, whose form leads on, and whose GET changes nothing', async () => {
      const { subscription, path } = await cancelled();
      await request(service.app.getHttpServer()).get(path).expect(200);
      expect(await statusOf(subscription)).toBe('ACCEPTED');
      const answer = await request(service.app.getHttpServer()).post(path).type('form').send('').expect(303);
      expect([answer.headers['location'], await statusOf(subscription)]).toEqual(['https://example.com/bye', 'CANCELLED']);
    });

    it('is 404 for a link that is none, and nothing breaks by parts that are none', async () => {
      const post = (path: string, { type, body }: typeof form) => request(service.app.getHttpServer()).post(path).set('content-type', type).send(body);
      await post('/notificationsvc/api/v1/links/none', multipart).expect(404);
      const { path } = await cancelled();
      await post(path, { ...multipart, body: '--edge\r\nhalf' }).expect(303);
      await post(path, { ...multipart, body: `--edge\r\n${part}${'x'.repeat(100_000)}\r\n--edge--\r\n` }).expect(413);
      await service.call('post', 'group').set('content-type', multipart.type).send(multipart.body).expect(415);
    });
  });
});
