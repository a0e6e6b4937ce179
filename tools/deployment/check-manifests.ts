/**
 * `kustomize build` of each overlay, through `kubeconform -strict` and through our own rules. Needs Go, to get the tools and Kubernetes'
 * schemas once into the cache of deploy/engines; without it, says so. Ends with 1 when something is wrong.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { conform } from './kubeconform/conform';
import { installSchemas } from './kubeconform/install-schemas';
import { buildOverlay, installedTool, type Overlay, OVERLAYS, parseManifests } from './manifests';
import { overlayFaults } from './overlay-faults';
import { madeSecrets } from './secrets';

const root = repositoryRoot();
const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  spawnSync(process.execPath, [join(root, 'dist', 'deploy', 'engines', 'src', 'main.js'), 'install', 'kustomize', 'kubeconform'], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [kustomize, kubeconform] = ['kustomize', 'kubeconform'].map((name) => installedTool(root, name));
  if (kustomize === undefined || kubeconform === undefined) {
    print('not checked: kustomize or kubeconform is not there');
    return 0;
  }
  const schemas = installSchemas(join(dirname(kustomize), '..'), print);
  let faults = 0;
  for (const overlay of OVERLAYS) {
    const built = buildOverlay(root, kustomize, overlay);
    const wrong = [...conformityFaults(overlay, built, kubeconform, schemas), ...(await overlayFaults({ overlay, manifests: parseManifests(built), ...(overlay === 'dev' && { secrets: madeSecrets(root) }) }))];
    for (const fault of wrong) print(fault);
    faults += wrong.length;
  }
  return faults === 0 ? 0 : 1;
}

function conformityFaults(overlay: Overlay, built: string, kubeconform: string, schemas: string | undefined): readonly string[] {
  if (schemas === undefined) {
    print(`${overlay}: not checked for want of schemas: ${[...new Set(parseManifests(built).map(({ kind }) => kind))].join(', ')}`);
    return [];
  }
  const { faults, skipped, checked } = conform(kubeconform, schemas, built);
  print(`${overlay}: ${checked} manifests conform${skipped.length === 0 ? '' : `, not checked for want of a schema: ${skipped.join(', ')}`}`);
  return faults.map((fault) => `${overlay}: ${fault}`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
