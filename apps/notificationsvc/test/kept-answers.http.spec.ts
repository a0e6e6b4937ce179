import { AnswerStore } from '@twinyard/service-kit';
import { dyingBehind, expectReplay } from '@twinyard/testing';
import { NotificationService, NS } from './notification-service';

describe('what is made, changed or deleted with an Idempotency-Key', () => {
  let service: NotificationService;
  beforeAll(async () => { service = await NotificationService.start(); });
  afterAll(() => service?.stop());

  it('is so once, though its process dies before it answers, and answered as it would have been', async () => {
    const store = service.app.get(AnswerStore, { strict: false });
    const group = { _name: 'watch', _namespaces: [NS] };
    const made = () => service.call('post', 'group').set('idempotency-key', 'make').send(group);
    const first = await dyingBehind(store, async () => made());
    const { _id } = first.body as { _id: string };
    const changed = () => service.call('put', `group/${_id}`).set('idempotency-key', 'change').send({ ...group, _description: 'ü' });
    const second = await dyingBehind(store, async () => changed());
    const deleted = () => service.call('delete', `group/${_id}`).set('idempotency-key', 'delete');
    for (const [send, before] of [[made, first], [changed, second], [deleted, await dyingBehind(store, async () => deleted())]] as const) {
      expectReplay(await send(), before);
      expect(before.status).toBe(200);
    }
    expect((await service.call('get', 'group').expect(200)).body).toMatchObject({ _total: 0 });
  });

  it('is told once', async () => {
    const tell = () => service.call('post', 'notification').set('idempotency-key', 'tell').send({ _name: 'Import is done', _namespaces: [NS] });
    const first = await dyingBehind(service.app.get(AnswerStore, { strict: false }), async () => tell());
    expectReplay(await tell(), first);
    expect(first.status).toBe(200);
  });
});
