/** Spinners and progress indicators on standard error. */
import type { Ora } from 'ora';
import type { Event } from '../../http/client.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds before a spinner is shown. */
const delay = 500;

async function spin(text: string, terminal: Terminal, { stderr }: Context): Promise<Ora> {
  const { default: ora } = await import('ora');
  return ora({
    text,
    stream: stderr as NodeJS.WriteStream,
    color: terminal.color ? 'cyan' : false,
    spinner: terminal.screen?.unicode === false ? 'line' : 'dots',
    // Does not change the mode of the terminal, which a signal would leave behind.
    discardStdin: false,
    hideCursor: false,
    isEnabled: true,
  }).start();
}

export interface Progress {
  say(text: string): void;
  end(): void;
}

/** Show the state of a wait: in a spinner, or as a line for each change if spinners are off. */
export async function openProgress({ terminal, context, notes }: Session, first: string): Promise<Progress> {
  if (!terminal.animate) {
    let before: string | undefined;
    const say = (text: string) => {
      if (text !== before) notes.say(text);
      before = text;
    };
    say(first);
    return { say, end() {} };
  }
  const spinner = await spin(terminal.clean(first), terminal, context);
  return {
    say(text) {
      spinner.text = terminal.clean(text);
    },
    end() {
      spinner.stop();
    },
  };
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Format a number of bytes: `12.3 MiB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

export interface TransferProgress {
  /** @param total bytes, if known */
  at(bytes: number, total: number | undefined): void;
  end(): void;
}

/** Show the progress of a transfer that takes longer than the delay. */
export function openTransfer({ terminal, context }: Session, verb: string): TransferProgress {
  if (!terminal.animate) return { at() {}, end() {} };
  const begun = context.now();
  let spinner: Promise<Ora> | undefined;
  let text = '';
  let ended = false;
  return {
    at(bytes, total) {
      const share = total ? ` of ${sizeOf(total)} (${Math.floor((bytes / total) * 100)} %)` : '';
      text = `${verb} ${sizeOf(bytes)}${share}`;
      if (!spinner && context.now() - begun >= delay) spinner = spin(text, terminal, context);
      void spinner?.then((shown) => {
        if (ended) shown.stop();
        else shown.text = text;
      });
    },
    end() {
      ended = true;
      void spinner?.then((shown) => shown.stop());
    },
  };
}

/**
 * Show a spinner until the first response of a command. It stops before anything else is printed.
 * @param notify receives each event
 */
export function openResponseSpinner(
  notify: (event: Event) => void,
  terminal: Terminal,
  context: Context,
): { notify: (event: Event) => void; end: () => void } {
  let ended = false;
  let spinner: Ora | undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    ended = true;
    clearTimeout(timer);
    spinner?.stop();
  };
  const show = async (host: string) => {
    const started = await spin(`waiting for ${host}`, terminal, context);
    if (ended) started.stop();
    else spinner = started;
  };
  return {
    notify(event) {
      if (timer !== undefined || event.kind !== 'request') end();
      else timer = setTimeout(() => void show(new URL(event.url).host), delay);
      notify(event);
    },
    end,
  };
}
