import { type ImageName, IMAGES } from '../images/image';
import { defaultOf, schemaOf, type Variables } from './variables';

const MEGABYTE = 1024 ** 2;
/** What a service takes besides what its settings allow: under load, everything warm. */
const OWN_MB = 256;
/** Bodies are a text, a value and what is written of it; answers are read, projected and sent. */
const [COPIES_OF_BODIES, COPIES_OF_ANSWERS] = [8, 3];

/** The limit of memory of each image, in Compose and in Kubernetes alike, in MB of 1,024 KB. */
export const MEMORY_LIMITS_MB: Readonly<Record<ImageName, number>> = {
  gateway: 512,
  passportsvc: 768,
  itemsvc: 1_536, // its scripts and aggregations have threads of their own
  filesvc: 2_048, // previews are drawn beside it
  datasourcesvc: 8_192, // scripts, workbooks, a process that reads a building model, and one that converts another
  aisvc: 768,
  metricsvc: 768,
  notificationsvc: 768,
};

/**
 * One script of a run: 150 MB of its engine (128, a twentieth more, and the 16 that it starts with), 64 of its thread's heap, and in the memory that all share 10 of
 * questions, which are a text, a value and what is sent, and 10 of an answer, which is bytes, a text, JSON and a message. docs/decisions/0018-scripts-in-quickjs-in-a-thread.md
 * Of tables: three for each of four CSV files that it reads, and four for each of two files that it writes. docs/decisions/0042-rows-of-files-pass-by-scripts.md
 */
const SCRIPT_MB = 150 + 64 + 3 * 10 + 4 * 10 + 4 * 3 + 2 * 4;
/** That runs inside of requests have at once, beside one for each of `RUN_CONCURRENCY`: `INSTANT_SCRIPTS` of datasourcesvc. */
const INSTANT_SCRIPTS = 4;
/** A workbook that is imported: the packed file, its texts while their place grows, and where each ends; what is held of one of COBie. Two are read at once. */
const WORKBOOKS_MB = 2 * (50 + 64 + 128 + 40 + 225);

/** The geometry of a model that was converted, until it is sent: `MAX_RESULT_BYTES`, and once more while its parts are put together. The process that converts has `GEOMETRY_MEMORY_MB`. */
const GEOMETRY_RESULT_MB = 2 * 128;

/** An idle service uses 31 to 56 thousandths of a core, measured in a cluster. */
export const IDLE_MILLICORES = 56;
/** What everything together may ask for on a laptop with two cores, so that there is room for a rolling update. */
export const LAPTOP_MILLICORES = 1_000;

/** MB that the settings of a service let it take, at least. */
export async function neededMb(image: ImageName, variables: Variables): Promise<number> {
  const schema = await schemaOf(image);
  const valueOf = (name: string) => Number(variables[name] ?? (name in schema.shape ? defaultOf(schema, name) : 0));
  // Each process that draws has its file in /tmp, which is memory in Compose.
  const drawing = valueOf('PREVIEW_PROCESSES') * (valueOf('PREVIEW_MEMORY_MB') + valueOf('PREVIEW_MAX_INPUT_BYTES') / MEGABYTE);
  // One building model is read at a time, and one converted; the files of the first are on a disk (IFC_DIR).
  const models = valueOf('IFC_MEMORY_MB') + valueOf('GEOMETRY_MEMORY_MB');
  const runs = 'RUN_CONCURRENCY' in schema.shape ? SCRIPT_MB * (valueOf('RUN_CONCURRENCY') + INSTANT_SCRIPTS) + WORKBOOKS_MB + GEOMETRY_RESULT_MB + models : 0;
  return OWN_MB + runs + COPIES_OF_BODIES * valueOf('BODY_MEMORY_MB') + (COPIES_OF_ANSWERS * valueOf('ANSWER_MAX_BYTES')) / MEGABYTE + drawing;
}

/** What is wrong with a container's limit of memory. */
export async function limitFaults(image: ImageName, limit: string | number | undefined, variables: Variables): Promise<string[]> {
  const [given, meant, needed] = [megabytes(limit), MEMORY_LIMITS_MB[image], await neededMb(image, variables)];
  return [
    ...(given === meant ? [] : [`${image}: its limit of memory is ${given} MB, not ${meant}`]),
    ...(given >= needed ? [] : [`${image}: its limit of memory is ${given} MB, and its settings let it take ${needed}`]),
  ];
}

/** Of `512M`, `512Mi`, `2G` or `2Gi`: Compose and Kubernetes write the same in two ways. */
export function megabytes(limit: string | number | undefined): number {
  const [, size, unit] = /^(\d+)([MG])i?$/.exec(String(limit)) ?? [];
  return Number(size ?? 0) * (unit === 'G' ? 1_024 : 1);
}

/** Of `250m` or `1`. */
export function millicores(cpu: string | undefined): number {
  const [, size, unit] = /^([\d.]+)(m?)$/.exec(cpu ?? '') ?? [];
  return Number(size ?? 0) * (unit === 'm' ? 1 : 1_000);
}

export const isImage = (name: string): name is ImageName => (IMAGES as readonly string[]).includes(name);
