import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGES, programsOf } from '../images/image';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export const dockerfileText = (root: string) => readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');

/** Instructions in order; a line that ends with a backslash goes on. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.replace(/\\\n\s*/g, '').split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name = '', ...rest] = line.trim().split(/\s+/);
    return { name: name.toUpperCase(), text: rest.join(' ') };
  });
}

/** What is wrong with the Dockerfile, as far as it can be told without building it. */
export function dockerfileFaults(root: string, instructions: readonly Instruction[]): string[] {
  const last = instructions.map(({ name }) => name).lastIndexOf('FROM');
  const final = instructions.slice(last);
  const stages = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(/ as /i));
  const names = new Set(stages.map(([, name]) => name?.trim()));
  const said = (name: string) => final.filter((instruction) => instruction.name === name).map(({ text }) => text);
  const rules: readonly (readonly [boolean, string])[] = [
    [instructions[last]?.text === 'node:24-slim', 'the image does not stand on node:24-slim'],
    [stages.every(([from = '']) => from.trim() === 'node:24-slim' || names.has(from.trim())), 'a stage stands on something else'],
    [instructions.every(({ name }) => KNOWN.has(name)), 'an instruction that Docker does not know'],
    [/^[1-9]\d*:[1-9]\d*$/.test(said('USER').at(-1) ?? ''), 'does not run as a numbered user'],
    [final.findIndex(({ name }) => name === 'USER') > final.findIndex(({ name }) => name === 'COPY'), 'the user owns its own code'],
    [/\bPORT=3000\b/.test(said('ENV').join(' ')) && said('EXPOSE').join() === '3000', 'does not listen on 3000'],
    [said('COPY').every((text) => text.startsWith('--from=')), 'takes files that are not staged'],
    [said('RUN').every((text) => !/npm (ci|i|install)|apt-get|apk /.test(text)), 'installs something in the last stage'],
    [[...said('ENTRYPOINT'), ...said('HEALTHCHECK').map((text) => text.slice(text.indexOf('CMD') + 4))].every(isExecForm), 'a command goes through a shell, which keeps SIGTERM to itself'],
  ];
  const programs = [said('ENTRYPOINT'), said('HEALTHCHECK')].map((texts) => /"([\w-]+\.js)"/.exec(texts.join())?.[1] ?? 'nothing');
  const unknown = programs.filter((program) => !IMAGES.every((image) => program in programsOf(image))).map((program) => `runs ${program}, which is not in every image`);
  const copied = instructions.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from=')).flatMap(({ text }) => text.split(' ').slice(0, -1));
  const absent = copied.filter((file) => !existsSync(join(root, file))).map((file) => `copies ${file}, which is not there`);
  return [...rules.filter(([holds]) => !holds).map(([, fault]) => fault), ...unknown, ...absent].map((fault) => `deploy/Dockerfile: ${fault}`);
}

const KNOWN = new Set(['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'LABEL', 'USER', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD']);
const isExecForm = (text: string) => /^\[".*"\]$/.test(text);
