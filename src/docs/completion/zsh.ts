/** Completion for zsh, with descriptions. Static words start no process. */
import { casesOf, type Table, type Word } from './table.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Return `word:description` for `_describe`. */
const described = ({ word, doc }: Word) => quoted(`${word.replaceAll(':', '\\:')}:${doc}`);

/** Return cases that set the array `reply`, one word per line. */
function lists(
  rows: readonly (readonly [names: readonly string[], words: readonly Word[], rest?: string | undefined])[],
): string {
  return rows
    .map(([names, words, rest = '']) => {
      const items = [...words.map(described), rest].filter(Boolean).map((item) => `        ${item}`);
      return [`    ${names.map(quoted).join('|')})`, '      reply=(', ...items, '      ) ;;'].join('\n');
    })
    .join('\n');
}

function codes(rows: readonly (readonly [names: readonly string[], code: string])[], after = ''): string {
  return rows
    .map(([names, code]) => `    ${names.map(quoted).join('|')}) code=${quoted(code)}${after} ;;`)
    .join('\n');
}

/** Return the script. Its first line is the marker that zsh requires; the second line is `origin`. */
export function zshCompletion(table: Table, origin: string): string {
  const plain = (words: readonly Word[]) => words.filter(({ negated }) => !negated);
  const negated = (words: readonly Word[]) => words.filter((word) => word.negated);
  const rest = (path: { readonly common: boolean }) => (path.common ? '$common' : undefined);
  const flags = table.paths.map((path) => [[path.path], plain(path.flags), rest(path)] as const);
  const negations = table.paths
    .map((path) => [[path.path], negated(path.flags)] as const)
    .filter(([, words]) => words.length > 0);
  const { special, values, args } = casesOf(table);
  return `#compdef svc
# ${origin}
# zsh completion for svc: save it as "_svc" in a folder of $fpath, or source it after compinit.

# Set reply to the words that can follow $1: an area, or nothing.
_svc_words() {
  reply=()
  case $1 in
${lists(table.groups.map(({ name, words }) => [[name], words] as const))}
  esac
}

# Set reply to the flags of the command $1.
_svc_flags() {
  local -a common
  common=(
${plain(table.common)
  .map((word) => `    ${described(word)}`)
  .join('\n')}
  )
  reply=($common)
  case $1 in
${lists(flags)}
  esac
}

# Set reply to the --no- forms of the flags of the command $1.
_svc_negations() {
  reply=()
  case $1 in
${lists(negations)}
  esac
}

# Set code to the value code of flag $2 of the command $1. Fails if the flag has no value.
_svc_value() {
  code=''
  case "$1 $2" in
${codes(special, '; [[ -n $code ]]; return')}
  esac
  case $2 in
${codes(values)}
    *) return 1 ;;
  esac
}

# Set code to the value code of argument $2 of the command $1.
_svc_argument() {
  case "$1 $2" in
${codes(args)}
    *) return 1 ;;
  esac
}

_svc_alias() {
  case $1 in
${table.aliases.map(([alias, name]) => `    ${quoted(alias)}) REPLY=${quoted(name)} ;;`).join('\n')}
    *) REPLY=$1 ;;
  esac
}

# _svc_offer CODE FLAG: offer values that start with $PREFIX.
_svc_offer() {
  local offered=$1 flag=$2 key line word
  local -a found given
  case $offered in
    '='*) found=(\${=offered#=}); compadd -- $found ;;
    ','*)
      given=(\${(s:,:)\${PREFIX%,*}##*=})
      compset -P '*,'
      found=(\${=offered#,})
      compadd -S '' -- \${found:|given}
      ;;
    f) _files ;;
    d) _files -/ ;;
    '@') compset -P '@' && _files ;;
    '?'*)
      while IFS= read -r line; do
        word=\${line%%$'\\t'*}
        word=\${word//\\\\/\\\\\\\\}
        found+=("\${word//:/\\\\:}\${\${(M)line:#*$'\\t'*}:+:\${line#*$'\\t'}}")
      done < <("$words[1]" __complete "\${offered#?}" -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
      _describe -t values value found
      ;;
    [+*]*)
      [[ $offered == '*'* ]] && compset -P '*,'
      if compset -P 1 '*='; then
        key=\${\${IPREFIX%=}##*[=,]}
        _svc_value "$command" "$flag:$key" && _svc_offer "$code" "$flag:$key"
      else
        found=(\${=offered#?})
        compadd -S '=' -- $found
      fi
      ;;
    *) _message value ;;
  esac
}

_svc() {
  local REPLY code word command='' area='' pending=''
  local -a reply
  local -i i args=0 open=1
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if ((open)) && [[ $word == -- ]]; then
      open=0
    elif ((open)) && [[ $word == -?* ]]; then
      [[ $word == *=* ]] && continue
      _svc_value "$command" "$word" || continue
      ((i + 1 == CURRENT)) && pending=$word
      i+=1
    elif [[ -z $area ]]; then
      _svc_alias "$word"
      area=$REPLY
      command=$area
    elif _svc_words "$area"; (($#reply)) && [[ $command == "$area" ]]; then
      _svc_alias "$area $word"
      command=$REPLY
    else
      args+=1
    fi
  done
  if [[ -n $pending ]]; then
    _svc_value "$command" "$pending" && _svc_offer "$code" "$pending"
  elif ((open)) && [[ $PREFIX == --*=* ]]; then
    word=\${PREFIX%%=*}
    compset -P 1 '*='
    _svc_value "$command" "$word" && _svc_offer "$code" "$word"
  elif ((open)) && [[ $PREFIX == -* ]]; then
    _svc_flags "$command"
    _describe -o flag reply
    if [[ $PREFIX == --n* ]]; then
      _svc_negations "$command"
      _describe -o flag reply
    fi
  elif [[ -z $area ]]; then
    _svc_words ''
    _describe -t commands command reply
  elif _svc_words "$area"; (($#reply)) && [[ $command == "$area" ]]; then
    _describe -t commands command reply
  elif _svc_argument "$command" $args; then
    _svc_offer "$code" ''
  elif ((open)); then
    _svc_flags "$command"
    _describe -o flag reply
  fi
}

if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;
}
