import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningPlatform } from '../../platform/test/running-platform';
import { makeTenant, type Tenant } from '../../platform/test/tenants';
import { type Document, judgedDocument } from '../references/judged-document';
import { type Asked, schemathesis } from '../references/schemathesis';
import { areJudgesThere, judgedIn } from './judged';

const SUITE = 'the references';
const judged = judgedIn(SUITE);
/** What a run may cost: it grows with what the references say. */
const MOST_CASES = 25_000;

describe(SUITE, () => {
  let platform: RunningPlatform;
  let tenant: Tenant;
  let document: Document;
  let folder: string;

  beforeAll(async () => {
    if (!areJudgesThere) return;
    platform = await RunningPlatform.start({ RATE_LIMIT_PER_MINUTE: '1000000' });
    folder = mkdtempSync(join(tmpdir(), 'twinyard-references-'));
    tenant = await makeTenant(platform);
    document = judgedDocument(await (await fetch(`${platform.baseUrl}/api/openapi.json`)).text(), tenant);
  });
  afterAll(async () => {
    await platform?.remove();
    if (folder) rmSync(folder, { recursive: true });
  });

  const ask = async (program: string, phase: Asked['phase']) =>
    schemathesis({ program, document, baseUrl: platform.baseUrl, token: tenant.owner.token, folder, phase, without: ['logout'] });

  judged('say what each example is answered with, says schemathesis', async (judges) => {
    const { cases, findings, said } = await ask(judges.schemathesis, 'examples');
    expect({ findings, said: findings.length === 0 ? '' : said }).toEqual({ findings: [], said: '' });
    expect(cases).toBeGreaterThan(100);
  });

  judged('say what every operation takes and answers, to its edges, says schemathesis', async (judges) => {
    const { cases, findings, said } = await ask(judges.schemathesis, 'coverage');
    expect({ findings, said: findings.length === 0 ? '' : said }).toEqual({ findings: [], said: '' });
    expect(cases).toBeLessThan(MOST_CASES);
  });
});
