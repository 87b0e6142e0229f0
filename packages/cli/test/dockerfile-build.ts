// Builds the image without a container engine: follows the Dockerfile in folders, with the files that .dockerignore admits.

import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import dockerignore from '@balena/dockerignore';

const run = promisify(execFile);

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** A stage of the Dockerfile. Its root is a folder, where absolute paths of the image are found. */
export interface Stage {
  readonly root: string;
  workdir: string;
  /** The variables of ENV. */
  readonly env: Record<string, string>;
  readonly instructions: Instruction[];
}

async function readDockerfile(context: string): Promise<Instruction[]> {
  const text = await readFile(join(context, 'Dockerfile'), 'utf8');
  const lines = text.replaceAll(/\\\n/g, '').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', value = ''] = /^(\w+) +(.*)$/.exec(line) ?? [];
      return { name, value };
    });
}

/** Sets up an empty folder of the image for a user of this machine, and needs root. */
const needsRoot = (command: string): boolean => command.startsWith('install -d -o node ');

/** Installs the checkout, which was done on this machine from the same lock. */
const installsCheckout = 'npm ci --ignore-scripts && ';

/** Links the installed packages of the checkout, and those of its workspaces to the copies in the folder. */
async function linkInstalled(context: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(context, 'node_modules'))) {
    const [from, to] = [context, folder].map((root) => join(root, 'node_modules', name)) as [string, string];
    if (!/opentill$/.test(name)) await symlink(from, to);
    else await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
  for await (const nested of glob('packages/*/node_modules', { cwd: context })) {
    await symlink(join(context, nested), join(folder, nested));
  }
}

/** Runs the stages in folders of `to`, and returns the last one. */
export async function followDockerfile(
  context: string,
  { to, env }: { readonly to: string; readonly env: NodeJS.ProcessEnv },
): Promise<Stage> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of await readDockerfile(context)) {
    const { name, value } = instruction;
    if (name === 'FROM') {
      const as = / AS (\w+)$/.exec(value)?.[1] ?? 'image';
      const root = join(to, as);
      await mkdir(root);
      stage = { root, workdir: root, env: {}, instructions: [] };
      stages.set(as, stage);
    }
    if (stage === undefined) continue;
    stage.instructions.push(instruction);
    if (name === 'WORKDIR') {
      stage.workdir = join(stage.root, value);
      await mkdir(stage.workdir, { recursive: true });
    }
    if (name === 'COPY') await copy(value, stage, { context, stages });
    if (name === 'ENV') Object.assign(stage.env, variablesOf(value, { ...stage, env }));
    let command = value.replaceAll(/--mount=\S+ /g, '');
    if (name === 'RUN' && command.startsWith(installsCheckout)) {
      await linkInstalled(context, stage.workdir);
      command = command.slice(installsCheckout.length);
    }
    if (name === 'RUN' && !needsRoot(command))
      await run('sh', ['-c', command], { cwd: stage.workdir, env: { ...env, ...stage.env } });
  }
  if (stage === undefined) throw new Error('The Dockerfile has no FROM.');
  return stage;
}

async function copy(
  value: string,
  { root, workdir }: Stage,
  { context, stages }: { readonly context: string; readonly stages: ReadonlyMap<string, Stage> },
): Promise<void> {
  const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(value) ?? [];
  const source = from === undefined ? context : (stages.get(from)?.root ?? '');
  const all = paths.split(' ');
  const target = all.pop() ?? '';
  const ignored = dockerignore.default();
  if (from === undefined) ignored.add(await readFile(join(context, '.dockerignore'), 'utf8'));
  const isAdmitted = (path: string): boolean => {
    const name = relative(source, path);
    return name === '' || !ignored.ignores(name);
  };
  const to = isAbsolute(target) ? join(root, target) : join(workdir, target);
  for (const path of all) await cp(join(source, path), to, { recursive: true, filter: isAdmitted });
}

/** The variables of ENV, with paths in the folder of the stage. */
function variablesOf(
  value: string,
  { root, env }: { readonly root: string; readonly env: NodeJS.ProcessEnv },
): Record<string, string> {
  const pairs = value.split(' ').map((pair) => {
    const [name = '', text = ''] = pair.split('=');
    const here = text.replaceAll(/(?<=^|:)\//g, `${root}/`);
    return [name, here.replaceAll(/\$(\w+)/g, (_, variable) => env[variable] ?? '')];
  });
  return Object.fromEntries(pairs);
}

/** The value of the instruction in the exec form, which a stage has once, with paths in the folder of the stage. */
export function commandOf({ root, instructions }: Stage, name: string): string[] {
  const value = instructions.find((each) => each.name === name)?.value ?? '';
  const parts = JSON.parse(value.slice(value.indexOf('['))) as string[];
  return parts.map((part) => (isAbsolute(part) ? join(root, part) : part));
}
