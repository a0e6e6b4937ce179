import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { firstRequests } from '../../platform/first-requests';
import { repositoryFolder } from '../config';
import { judgedIn } from './judged';

const SUITE = 'lines for PowerShell';
const judged = judgedIn(SUITE);
const PARSER = join(repositoryFolder, 'tools', 'judges', 'powershell', 'commands.py');
const CLIENT = { API: 'http://localhost:8080', NAMESPACE: 'tour_1', CLIENT_ID: '5f0c', CLIENT_SECRET: '-_secret', SPACES: 'spaces_1' };

/** What they are to PowerShell is told by its grammar: there is none to run them where these tests run. */
describe(SUITE, () => {
  const read = (python: string, input: string) => JSON.parse(execFileSync(python, [PARSER], { input, encoding: 'utf8' })) as { readonly commands: string[][]; readonly faults: string[] };

  judged('are whole commands of it', ({ python }) => {
    expect(read(python, firstRequests(CLIENT).powerShell)).toEqual({
      commands: [['Invoke-RestMethod', '-Method', '-Headers', '-Body'], ['Invoke-RestMethod', '-Headers'], ['ConvertTo-Json', '-Depth']],
      faults: [],
    });
  });

  judged('would be told from what is none', ({ python }) => {
    expect(read(python, "$token = (Invoke-RestMethod 'a' -Headers @{ b = 1 ").faults).not.toEqual([]);
  });
});
