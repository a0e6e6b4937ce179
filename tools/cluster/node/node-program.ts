import { basename, join } from 'node:path';
import { LoggedProgram } from '../../containers/logged-program';

/** A program of the node, with its log in the node's folder. */
export const startOnNode = (folder: string, file: string, args: readonly string[], isUp: () => Promise<boolean>): Promise<LoggedProgram> =>
  LoggedProgram.start(file, args, { logFile: join(folder, `${basename(file)}.log`), isUp });
