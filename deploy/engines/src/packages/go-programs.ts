import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Package, Run } from './package';

export function goProgram(name: string, module: string, version: string): Package {
  return goPackage(name, version, (folder, run) => run('go', ['install', `${module}@${version}`], { cwd: folder, env: { GOBIN: folder, GOFLAGS: '-mod=mod' } }));
}

/** `docker compose`. Its module has `exclude` lines, which `go install` refuses. */
export function composePlugin(version: string): Package {
  const program = 'github.com/docker/compose/v2';
  return goPackage('compose', version, (folder, run) => inOwnModule(folder, run, (cwd) => {
    run('go', ['get', `${program}/cmd@${version}`], { cwd });
    build(run, cwd, { into: join(folder, 'compose'), variable: `${program}/internal.Version=${version}`, packages: [`${program}/cmd`] });
  }));
}

/** The programs of a cluster of one node. */
const KUBERNETES_PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kubectl'];

/** Modules that lie in Kubernetes' own repository: its module names the folders, which are not in it. They are published under versions of their own. */
const KUBERNETES_MODULES = [
  'api', 'apiextensions-apiserver', 'apimachinery', 'apiserver', 'cli-runtime', 'client-go', 'cloud-provider', 'cluster-bootstrap', 'code-generator', 'component-base', 'component-helpers',
  'controller-manager', 'cri-api', 'cri-client', 'csi-translation-lib', 'dynamic-resource-allocation', 'endpointslice', 'externaljwt', 'kms', 'kube-aggregator', 'kube-controller-manager',
  'kube-proxy', 'kube-scheduler', 'kubectl', 'kubelet', 'metrics', 'mount-utils', 'pod-security-admission', 'sample-apiserver', 'sample-cli-plugin', 'sample-controller',
];

/** `version`: `1.34.1`. */
export function kubernetesPrograms(version: string): Package {
  const main = 'k8s.io/kubernetes';
  const published = version.replace(/^1/, 'v0');
  return goPackage('kubernetes', version, (folder, run) => inOwnModule(folder, run, (cwd) => {
    run('go', ['mod', 'edit', ...KUBERNETES_MODULES.map((name) => `-replace=k8s.io/${name}=k8s.io/${name}@${published}`)], { cwd });
    run('go', ['get', `${main}@v${version}`], { cwd });
    build(run, cwd, { into: `${folder}/`, variable: `k8s.io/component-base/version.gitVersion=v${version}`, packages: KUBERNETES_PROGRAMS.map((program) => `${main}/cmd/${program}`) });
  }));
}

const goPackage = (name: string, version: string, install: Package['install']): Package => ({ name, version, sources: [], installWith: ['go'], runWith: [], install });

/** Builds what `go install` refuses from a module of our own, which asks for it. */
function inOwnModule(folder: string, run: Run, work: (module: string) => void): void {
  const module = join(folder, 'module');
  mkdirSync(module);
  run('go', ['mod', 'init', 'programs'], { cwd: module });
  work(module);
  rmSync(module, { recursive: true });
}

interface GoBuild {
  /** A file, or with a slash at its end a folder. */
  readonly into: string;
  /** `<package>.<variable>=<value>`: what the program says that it is. */
  readonly variable: string;
  readonly packages: readonly string[];
}

function build(run: Run, module: string, { into, variable, packages }: GoBuild): void {
  run('go', ['build', '-ldflags', `-s -w -X ${variable}`, '-o', into, ...packages], { cwd: module, env: { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' } });
}
