import { csvTelemetryImport } from '../src/components/csv-telemetry-import/csv-telemetry-import.component';
import { ComponentStep } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';

const READINGS = 2_500;
const ITEM = 'a'.repeat(24);

describe('csv_telemetry_import that is begun again', () => {
  let platform: PlatformStandIn;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
    const rows = Array.from({ length: READINGS }, (_, n) => `${new Date(Date.UTC(2013, 6, 4) + n * 60_000).toISOString()},${n}`);
    platform.addFile('csv', 'csv-1', 'readings.csv', Buffer.from(['timestamp,value', ...rows].join('\n')));
  });
  afterAll(() => platform?.stop());
  afterEach(() => expect(platform.violations).toEqual([]));

  const step = () => {
    const sensors = platform.items.add('sensors', 'NamedTelemetryCollection');
    sensors.versions[0]?.items.set(ITEM, { _id: ITEM, _sourceId: 'sensor 1' });
    platform.items.readings.clear();
    return new ComponentStep(csvTelemetryImport, { _fileId: 'csv', _userItemId: sensors._userItemId, _sourceId: 'sensor 1' }, platform.url, sensors._id);
  };
  const figures = { rows: READINGS, readings: READINGS, batches: 3, new: READINGS, replaced: 0, merged: 0, kept: 0 };

  it('says what its readings became the first time, where another worker goes over them', async () => {
    const one = step();
    expect(await one.run()).toMatchObject({ counts: figures });
    expect(await one.run()).toMatchObject({ counts: figures });
    expect(platform.items.readings.size).toBe(READINGS);
  });

  it('and where the answers to them are lost', async () => {
    const lost = new Set<string>();
    platform.disturb = ({ name, nth }) => {
      if (name !== 'write readings' || lost.has(`${Math.ceil(nth / 2)}`)) return undefined;
      lost.add(`${Math.ceil(nth / 2)}`);
      return 'lose the answer';
    };
    expect(await step().run()).toMatchObject({ counts: figures });
    expect(lost.size).toBeGreaterThan(1);
  });
});
