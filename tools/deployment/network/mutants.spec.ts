import { repositoryRoot } from '../../checks/repository/repository';
import { buildOverlay, installedTool, type Manifest, OVERLAYS, parseManifests, type Workload, workloadsOf } from '../manifests';
import { variablesByWorkload } from '../overlay-faults';
import { madeSecrets } from '../secrets';
import { type Calls, callsOf } from './calls';
import { type Mutant, withEverything, withoutParts, withoutPolicies, withWay } from './mutants';
import { faultsAgainst } from './network-faults';

const root = repositoryRoot();
const kustomize = installedTool(root, 'kustomize');

/** Where kustomize is not installed, CI installs it for its check of the manifests, which asks of the policies as they are. */
if (kustomize !== undefined) describePolicies(kustomize);

const unseen = (mutants: readonly Mutant[], faultsOf: (manifests: readonly Manifest[]) => string[], sign: RegExp) =>
  mutants.filter(({ manifests }) => !faultsOf(manifests).some((fault) => sign.test(fault))).map(({ what }) => what);

function describePolicies(program: string): void {
  describe.each(OVERLAYS)('the network policies of %s', (overlay) => {
    let manifests: Manifest[];
    let workloads: Workload[];
    let calls: Calls;
    const faultsOf = (changed: readonly Manifest[]) => faultsAgainst(calls, changed, workloads);

    beforeAll(async () => {
      manifests = parseManifests(buildOverlay(root, program, overlay));
      workloads = workloadsOf(manifests);
      calls = await callsOf(manifests, workloads, variablesByWorkload({ overlay, manifests, ...(overlay === 'dev' && { secrets: madeSecrets(root) }) }));
    });

    it('allow what the product does, and nothing else', () => {
      expect(faultsOf(manifests)).toEqual([]);
    });

    it('have no rule, peer, port or name that could be left out and no call would be missing', () => {
      const parts = withoutParts(manifests).filter(({ what }) => !what.includes('.except.') && !what.startsWith('nobody-by-default'));
      expect(parts.length).toBeGreaterThan(80);
      expect(unseen(parts, faultsOf, / is needed and closed$/)).toEqual([]);
    });

    it('have no exception that could be left out and nothing private would be open', () => {
      const exceptions = withoutParts(manifests).filter(({ what }) => what.includes('.except.'));
      expect(exceptions.length).toBeGreaterThan(20);
      expect(unseen(exceptions, faultsOf, / is private and open$/)).toEqual([]);
    });

    it('have none that could be left out as a whole', () => {
      expect(unseen(withoutPolicies(manifests), faultsOf, / is needed and closed$|^what is not said is allowed$/)).toEqual([]);
      expect(faultsOf(manifests.filter(({ metadata }) => metadata.name !== 'nobody-by-default'))).toContain('elsewhere/* -> newcomer:* is open and not needed');
    });

    it('cannot allow everything to anybody unseen', () => {
      const open = withEverything(manifests, workloads);
      expect(open.length).toBeGreaterThan(16);
      expect(unseen(open, faultsOf, / is open and not needed$/)).toEqual([]);
    });

    it('cannot open one way more than there are calls unseen', () => {
      const known = new Set(calls.inside.map(({ from, to, port }) => `${from} -> ${to}:${port}`));
      const ways = workloads.flatMap((from) => workloads.flatMap((to) => to.pod.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => ({ from, to, port: containerPort })))));
      const closed = ways.filter(({ from, to, port }) => !known.has(`${from.name} -> ${to.name}:${port}`));
      expect(closed.length).toBeGreaterThan(40);
      for (const { from, to, port } of closed) expect(faultsOf(withWay(manifests, from, to, port))).toEqual([`${from.name} -> ${to.name}:${port} is open and not needed`]);
    });
  });
}
