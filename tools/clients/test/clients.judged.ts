import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { judgedIn } from '../../judges/test/judged';
import { demoClientFile, readDemoClient } from '../../platform/demo-client';
import { makeDemoAccess } from '../../platform/test/people';
import { ROOT, RunningPlatform } from '../../platform/test/running-platform';
import { lacking } from '../generated-clients';
import { type ClientGenerator, heyApi, layOut, openApiFetch, pythonClient } from '../generators';

const SUITE = 'clients that are made of the references';
const PATIENCE_MS = 300_000;
const judged = judgedIn(SUITE);

/** What docs/quickstart.md shows. */
const EXPECTED = {
  relations: 2, strong: ['Pump 2'], inCellar: ['Pump 1'], picture: 'PNG',
  means: [{ _id: '2026-01-01T00:00:00.000Z', mean: 19 }, { _id: '2026-02-01T00:00:00.000Z', mean: 21 }],
  mayDelete: [true],
};

describe(SUITE, () => {
  let platform: RunningPlatform;
  let receiver: Server;
  let environment: NodeJS.ProcessEnv;
  let document: string;
  const heard: string[] = [];
  const folders: string[] = [];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString())).on('end', () => {
        heard.push((JSON.parse(text) as { data: { resource: { _name: string } } }).data.resource._name);
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    platform = await RunningPlatform.start({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    const ACCESS_KEY = await makeDemoAccess(platform);
    const { CLIENT_ID, CLIENT_SECRET, NAMESPACE } = readDemoClient(demoClientFile(platform.dataDir));
    environment = {
      API: platform.baseUrl, NAMESPACE, CLIENT_ID, CLIENT_SECRET, ACCESS_KEY,
      HOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, MODEL: join(ROOT, 'tools/sample/sample-building.ifc'),
    };
    document = await (await fetch(`${platform.baseUrl}/api/openapi.json`)).text();
  }, PATIENCE_MS);

  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true });
    receiver?.close();
    await platform?.remove();
  });

  async function prove(generator: ClientGenerator): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), `twinyard-${generator.name}-`));
    folders.push(folder);
    layOut(folder, generator, document);
    expect(await generator.generate(folder)).toEqual([]);
    expect(document.match(/"operationId":/g)?.length).toBeGreaterThan(250);
    expect(lacking(generator.made(folder), document)).toEqual([]);
    expect(JSON.parse(await generator.run(folder, environment))).toEqual(EXPECTED);
    await eventually(() => expect(heard).toContain(`${generator.name}.txt`));
  }

  it.each([openApiFetch, heyApi])('$name knows every operation, parameter and schema, and runs the quickstart', prove, PATIENCE_MS);

  judged('python knows every operation, parameter and schema, and runs the quickstart', ({ python }) => prove(pythonClient(python)));
});
