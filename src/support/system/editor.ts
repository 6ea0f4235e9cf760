/** How to start the editor of the user. Its variable may contain arguments, as in `code --wait`. */

/** @returns the words of the command that opens a file */
export function editorCommand(
  editor: string | undefined,
  file: string,
  platform: NodeJS.Platform,
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
