/**
 * `kustomize build` of each overlay, by routes and by an Ingress, and of the Gateway, through `kubeconform -strict` and through our own rules. Needs Go, to get the
 * tools and the schemas of Kubernetes and the Gateway API once into the cache of deploy/engines; without it, says so. Ends with 1 when something is wrong.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { conform } from './kubeconform/conform';
import { installSchemas, type Schemas } from './kubeconform/install-schemas';
import { buildClusterGateway, buildOverlay, buildWithOtherWayIn, installedTool, OVERLAYS, parseManifests } from './manifests';
import { overlayFaults } from './overlay-faults';
import { clusterGatewayFaults } from './routes/route-faults';
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
  const gateway = buildClusterGateway(root, kustomize);
  const faults = conformityFaults('cluster-gateway', gateway, kubeconform, schemas);
  for (const overlay of OVERLAYS) {
    for (const [name, built] of [[overlay, buildOverlay(root, kustomize, overlay)], [`${overlay}, the other way in`, buildWithOtherWayIn(root, kustomize, overlay)]] as const) {
      const manifests = parseManifests(built);
      faults.push(...conformityFaults(name, built, kubeconform, schemas), ...(await overlayFaults({ overlay, manifests, ...(overlay === 'dev' && { secrets: madeSecrets(root) }) })), ...clusterGatewayFaults(parseManifests(gateway), manifests));
    }
  }
  for (const fault of faults) print(fault);
  return faults.length === 0 ? 0 : 1;
}

function conformityFaults(name: string, built: string, kubeconform: string, schemas: Schemas): string[] {
  const { faults, skipped, checked } = conform(kubeconform, schemas, built);
  print(`${name}: ${checked} manifests conform${skipped.length === 0 ? '' : `, not checked for want of a schema: ${skipped.join(', ')}`}`);
  return faults.map((fault) => `${name}: ${fault}`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
