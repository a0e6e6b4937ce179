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

describe('the mutants of policies', () => {
  const app = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
  const ports = [{ protocol: 'TCP', port: 3000 }];
  const policy = (name: string, spec: NonNullable<Manifest['spec']>): Manifest => ({ kind: 'NetworkPolicy', metadata: { name, namespace: 'twinyard' }, spec });
  const manifests = [
    policy('nobody', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
    policy('names', { podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } }, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }], ports: [{ protocol: 'UDP', port: 53 }] }] }),
    policy('caller', { podSelector: app('one'), policyTypes: ['Egress'], egress: [{ to: [{ podSelector: app('two') }], ports }] }),
    policy('called', { podSelector: app('two'), policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: ['one', 'three'] }] } }], ports }] }),
  ];
  const workloads = ['one', 'two'].map((name): Workload => ({ name, kind: 'Deployment', labels: app(name).matchLabels, pod: { containers: [{ name, image: name, ports: [{ containerPort: 3000 }] }] } }));
  const names = [...workloads.map(({ name }) => name), 'newcomer'].map((from) => ({ from, to: 'kube-dns', port: 53, protocol: 'UDP' as const }));
  const calls: Calls = { inside: [...names, { from: 'one', to: 'two', port: 3000, protocol: 'TCP' }], toEngines: [], byUsers: [] };

  it('leave out what can be left out, one thing at a time', () => {
    expect(withoutParts(manifests).map(({ what }) => what)).toEqual([
      'nobody: policyTypes.0', 'nobody: policyTypes.1', 'names: egress.0', 'caller: egress.0', 'called: ingress.0', 'called: ingress.0.from.0.podSelector.matchExpressions.0.values.0', 'called: ingress.0.from.0.podSelector.matchExpressions.0.values.1',
    ]);
    expect(withoutPolicies(manifests).map(({ what }) => what)).toEqual(['nobody', 'names', 'caller', 'called']);
    expect(manifests[3]?.spec?.ingress).toHaveLength(1);
  });

  it('are seen, each by what it opens or closes', () => {
    const faultsWithout = Object.fromEntries([...withoutPolicies(manifests), ...withoutParts(manifests)].map(({ what, manifests: changed }) => [what, faultsAgainst(calls, changed, workloads)]));
    expect(faultsAgainst(calls, manifests, workloads)).toEqual([]);
    expect(faultsWithout).toMatchObject({
      names: ['one -> kube-dns:53/UDP is needed and closed', 'two -> kube-dns:53/UDP is needed and closed', 'newcomer -> kube-dns:53/UDP is needed and closed'],
      caller: ['one -> two:3000 is needed and closed', 'one -> two:3000 is allowed by one side alone'],
      called: ['one -> two:3000 is needed and closed', 'one -> two:3000 is allowed by one side alone'],
      'called: ingress.0.from.0.podSelector.matchExpressions.0.values.0': ['one -> two:3000 is needed and closed', 'one -> two:3000 is allowed by one side alone'],
      'called: ingress.0.from.0.podSelector.matchExpressions.0.values.1': [],
    });
    expect(faultsAgainst(calls, withWay(manifests, workloads[1] as Workload, workloads[0] as Workload, 3000), workloads)).toEqual(['two -> one:3000 is open and not needed']);
    expect(unseen(withEverything(manifests, workloads), (changed) => faultsAgainst(calls, changed, workloads), / is open and not needed$/)).toEqual([]);
  });
});

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
