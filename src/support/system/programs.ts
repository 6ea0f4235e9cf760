/** How to start programs of the user. */
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { platform as thisPlatform } from './platform.ts';

/** The words of the command that opens a file in an editor, whose variable may contain arguments, as in `code --wait`. */
export function editorCommand(
  editor: string | undefined,
  file: string,
  platform: NodeJS.Platform = thisPlatform,
): readonly [program: string, ...args: string[]] {
  // Without the trap, a shell that waits for the editor ends with 130 after a Ctrl-C that the editor handled.
  if (platform !== 'win32') return ['sh', '-c', `trap : INT QUIT; ${editor || 'vi'} "$1"`, 'sh', file];
  // Windows has no sh, and backslashes separate folders.
  const words = [...(editor || 'notepad').matchAll(/"([^"]*)"|[^\s"]+/g)].map(
    ([word, quoted]) => quoted ?? word,
  );
  const [program = 'notepad', ...args] = words;
  return [program, ...args, file];
}

/**
 * Find a program in the PATH of an environment. To start it in another environment, Node would search the PATH of that one.
 * @returns its path, also if it does not exist, which is an error of the start
 */
export function findProgram(command: string, env: (name: string) => string | undefined): string {
  const endings = thisPlatform === 'win32' ? (env('PATHEXT') ?? '.EXE').split(';') : [''];
  const folders = (env('PATH') ?? '').split(delimiter);
  const places = folders.flatMap((folder) => endings.map((ending) => resolve(folder, command + ending)));
  return places.find((place) => existsSync(place)) ?? resolve(command);
}
