import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubectl } from '../kubectl';

/** A folder of the node for each claim of a StatefulSet: `<namespace>/<claim>`. */
export async function makeStorage(folder: string, kubectl: Kubectl, namespace: string, claims: readonly string[]): Promise<void> {
  const volumes = claims.map((claim) => {
    const path = join(folder, 'volumes', claim);
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o777); // fsGroup does not reach a folder of the node
    return {
      apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: claim },
      spec: { capacity: { storage: '100Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'folders', hostPath: { path }, claimRef: { namespace, name: claim } },
    };
  });
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'folders', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
  };
  const file = join(folder, 'storage.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [storageClass, ...volumes] }));
  await kubectl.run('apply', '--filename', file);
}
