import { newUuid } from '@twinyard/conventions';
import { notify } from '../src/components/notify/notify.component';
import { ComponentStep } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { NS } from './running-service';

describe('notify', () => {
  let platform: PlatformStandIn;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.notices.clear();
    platform.calls.length = 0;
    platform.disturb = () => undefined;
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(() => platform?.stop());

  const step = (params: object, stepId = newUuid()) => new ComponentStep(notify, { name: 'Import done', ...params }, platform.url, stepId);

  it('tells what it was given, filled with what the step before returned', async () => {
    const stepId = newUuid();
    const one = step({ name: 'Import: {{inparams.counts.new}} new', message: 'of {{inparams.file}}', data: { refused: '{{inparams.counts.refused}}', level: 'high' } }, stepId);
    one.inparams = { file: 'assets.csv', counts: { new: 7, refused: 2 } };
    expect(await one.run()).toEqual({ _eventId: stepId, _namespace: NS, name: 'Import: 7 new' });
    expect([...platform.notices.values()]).toEqual([{ _name: 'Import: 7 new', _message: 'of assets.csv', _data: { refused: 2, level: 'high' }, _namespaces: [NS], _eventId: stepId }]);
    expect(one.log).toEqual(['info: Told "Import: 7 new" to whoever triggers say']);
  });

  it('tells it under the same id when it is done again', async () => {
    platform.disturb = ({ nth }) => (nth === 1 ? 'lose the answer' : undefined);
    const one = step({});
    await one.run();
    await one.run();
    expect([platform.calls.length, platform.notices.size]).toEqual([3, 1]);
  });

  it('says what is not there, and what does not fit', async () => {
    await expect(step({ message: '{{inparams.counts.new}}' }).run()).rejects.toThrow('message: there is no inparams.counts.new');
    await expect(step({ _namespace: 'other_a1B2c3D4' }).run()).rejects.toThrow('_namespace: other_a1B2c3D4 is none of the run');
    await expect(step({ name: '' }).run()).rejects.toThrow('name: is required');
    platform.disturb = () => ({ status: 403, body: { message: 'You do not have the permission for this' } });
    await expect(step({}).run()).rejects.toThrow('notificationsvc: You do not have the permission for this');
  });
});
