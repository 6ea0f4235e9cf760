/** The actions of a command, such as those of `svc sandbox faults add|list|clear`. */
import { usage } from '../../../errors.ts';

/** Check an action, and the number of its arguments. @throws Failure `usage` */
export function actionOf<A extends string>(
  area: string,
  words: readonly string[],
  actions: Readonly<Record<A, readonly [least: number, most: number, usage: string]>>,
): A {
  const [word = ''] = words;
  const names = Object.keys(actions) as A[];
  const name = names.find((one) => one === word);
  if (name === undefined)
    throw usage(
      `${JSON.stringify(word)} is not an action of svc sandbox ${area}`,
      `actions: ${names.join(', ')}`,
    );
  const [least, most, line] = actions[name];
  const count = words.length - 1;
  if (count < least || count > most)
    throw usage('wrong number of arguments', `use svc sandbox ${area} ${line}`);
  return name;
}
