import { appendFileSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { enginesFolder } from '../config';
import { composePlugin, goProgram, kubernetesPrograms } from './go-programs';
import type { Package, Run } from './package';

const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';

const kafkaPom = join(enginesFolder, 'maven', 'kafka', 'pom.xml');
const kafkaFormat = join(enginesFolder, 'maven', 'kafka', 'format.properties');
const mongoPom = join(enginesFolder, 'maven', 'mongo', 'pom.xml');
const mongoSource = join(enginesFolder, 'java', 'MongoStandIn.java');

/** Everything that can be installed. Versions are exact: what passed today is what runs tomorrow. */
export const PACKAGES = {
  kafka: {
    name: 'kafka',
    version: '4.1.0',
    sources: [kafkaPom, kafkaFormat],
    installWith: ['java', 'mvn'],
    runWith: ['java'],
    install: (folder, run) => {
      copyJars(kafkaPom, folder, run);
      formatKafkaStorage(folder, run);
    },
  },
  mongo: {
    name: 'mongo',
    version: '1.47.0',
    sources: [mongoPom, mongoSource],
    installWith: ['java', 'mvn', 'javac'],
    runWith: ['java'],
    install: (folder, run) => {
      copyJars(mongoPom, folder, run);
      run('javac', ['-d', folder, '-cp', classPath(folder), mongoSource]);
    },
  },
  versitygw: goProgram('versitygw', 'github.com/versity/versitygw/cmd/versitygw', 'v1.8.0'),
  minio: goProgram('minio', 'github.com/minio/minio', 'v0.0.0-20260212201848-7aac2a2c5b7c'),
  kustomize: goProgram('kustomize', 'sigs.k8s.io/kustomize/kustomize/v5', 'v5.7.1'),
  compose: composePlugin('v2.40.3'),
  kubeconform: goProgram('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'),
  kubernetes: kubernetesPrograms('1.34.1'),
  kine: goProgram('kine', 'github.com/k3s-io/kine', 'v0.17.5'),
  coredns: goProgram('coredns', 'github.com/coredns/coredns', 'v1.15.0'),
  // With the Node that it wants: an optional package for each platform, of which npm says nothing where it cannot be had.
  'pg-boss': npmPackage('pg-boss', '12.38.0', [join('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node'), '--version']),
  'parse-server': npmPackage('parse-server', '9.10.0', [join('node_modules', '.bin', 'parse-server'), '--help']),
} as const satisfies Record<string, Package>;

export type PackageName = keyof typeof PACKAGES;

/** The archives in an installation's folder, and the classes beside them, in an order that does not depend on the disk. */
export function classPath(folder: string): string {
  const jars = readdirSync(folder).filter((file) => file.endsWith('.jar')).sort();
  return [folder, ...jars.map((jar) => join(folder, jar))].join(delimiter);
}

/** Any identifier does: every node is a cluster of one, in a folder of its own. */
const CLUSTER_ID = 'dHdpbnlhcmQtZW5naW5lcw';

/** An empty storage, made once: a new engine copies it, which saves it the start of a Java machine. */
export const formattedStorage = (folder: string) => join(folder, 'formatted');

function formatKafkaStorage(folder: string, run: Run): void {
  const properties = join(folder, 'format.properties');
  copyFileSync(kafkaFormat, properties);
  appendFileSync(properties, `log.dirs=${formattedStorage(folder)}\n`);
  run('java', ['-cp', classPath(folder), 'kafka.tools.StorageTool', 'format', '--cluster-id', CLUSTER_ID, '--config', properties]);
}

function copyJars(pom: string, folder: string, run: Run): void {
  run('mvn', ['-B', '-q', '-f', pom, DEPENDENCY_PLUGIN, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime']);
}

/** In a folder of its name, by its lock file. The last: a program of it, and what it is asked; it ends well where all that it needs is there. */
function npmPackage(name: string, version: string, [program, asked]: readonly [program: string, asked: string]): Package {
  const [manifest, lock] = ['manifest.json', 'package-lock.json'].map((file) => join(enginesFolder, 'npm', name, file)) as [string, string];
  return {
    name,
    version,
    sources: [manifest, lock],
    installWith: ['npm'],
    runWith: [],
    install: (folder, run) => {
      const home = join(folder, name);
      mkdirSync(home);
      copyFileSync(manifest, join(home, 'package.json')); // of that name Nx would take its folder for a project
      copyFileSync(lock, join(home, 'package-lock.json'));
      run('npm', ['ci', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: home });
      run(join(home, program), [asked]);
    },
  };
}
