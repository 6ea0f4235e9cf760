/** Completion for bash 3.2 and newer. It uses builtins only, so that static words start no process. */
import { casesOf, grouped, type Table, type Word } from './table.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Mark a `--no-` form, which is offered only after `--n`. */
const markedWord = ({ word, negated }: Word) => (negated ? `!${word}` : word);

function cases(rows: readonly (readonly [names: readonly string[], reply: string])[]): string {
  return rows
    .map(([names, reply]) => `    ${names.map(quoted).join('|')}) reply=${quoted(reply)} ;;`)
    .join('\n');
}

/** Return the script. `origin` is its first line. */
export function bashCompletion(table: Table, origin: string): string {
  const words = table.groups.map(
    ({ name, words }) => [[name], words.map(({ word }) => word).join(' ')] as const,
  );
  const common = table.common.map(markedWord).join(' ');
  const flags = grouped(
    table.paths,
    (path) => [...path.flags.map(markedWord), ...(path.common ? ['$'] : [])].join(' '),
    ({ path }) => path,
  );
  const { special, values, args } = casesOf(table);
  return `# ${origin}
# bash completion for svc: source this file, or save it as "svc" in a folder of bash-completion.

# Set reply to the words that can follow $1: an area, or nothing.
_svc_words() {
  case $1 in
${cases(words)}
    *) reply='' ;;
  esac
}

# Set reply to the flags of the command $1. A dollar sign is replaced by the common flags.
_svc_flags() {
  case $1 in
${cases(flags)}
    *) reply='$' ;;
  esac
  local common=${quoted(common)}
  reply=\${reply/\\$/$common}
}

# Set reply to the value code of flag $2 of the command $1. Fails if the flag has no value.
_svc_value() {
  case "$1 $2" in
${[...special].map(([names, code]) => `    ${names.map(quoted).join('|')}) reply=${quoted(code)}; [[ -n $reply ]]; return ;;`).join('\n') || "    '') ;;"}
  esac
  case $2 in
${cases(values)}
    *) return 1 ;;
  esac
}

# Set reply to the value code of argument $2 of the command $1.
_svc_argument() {
  case "$1 $2" in
${cases(args)}
    *) return 1 ;;
  esac
}

_svc_alias() {
  case $1 in
${cases(table.aliases.map(([alias, name]) => [[alias], name] as const)) || "    '') ;;"}
    *) reply=$1 ;;
  esac
}

# Offer a word without the prefix that readline keeps.
_svc_add() {
  COMPREPLY[\${#COMPREPLY[@]}]=\${1#"$head"}
}

# Append the descriptions in docs to the offered words, if readline only lists them. It inserts no more than their common beginning.
_svc_describe() {
  local i word width=0
  ((\${#COMPREPLY[@]} > 1)) && [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 ]] || return 0
  for word in "\${COMPREPLY[@]}"; do ((\${#word} > width)) && width=\${#word}; done
  for i in "\${!docs[@]}"; do
    [[ -n \${docs[i]} ]] || continue
    printf -v word '%-*s  %s' "$width" "\${COMPREPLY[i]}" "\${docs[i]}"
    COMPREPLY[i]=$word
  done
}

_svc_files() {
  compopt -o default 2>/dev/null && return
  local file
  while IFS= read -r file; do COMPREPLY[\${#COMPREPLY[@]}]=$file; done < <(compgen -f -- "\${full#"$head"}")
}

# Offer files after an @. Readline itself would complete host names.
_svc_at() {
  local file word
  for file in "$1"*; do
    [[ -e $file ]] || continue
    printf -v word %q "$file"
    if [[ -d $file ]]; then
      word=$word/
      compopt -o nospace 2>/dev/null
    fi
    _svc_add "$2$word"
  done
}

# _svc_offer CODE TYPED LEAD FLAG: offer values that start with TYPED. LEAD precedes TYPED in the same word.
_svc_offer() {
  local code=$1 typed=$2 lead=$3 flag=$4 word last key
  local -a docs
  docs=()
  case $code in
    =*) for word in \${code#=}; do [[ $word == "$typed"* ]] && _svc_add "$lead$word"; done ;;
    ,*)
      last=\${typed##*,}
      lead=$lead\${typed%"$last"}
      for word in \${code#,}; do
        [[ $word == "$last"* && ",$typed" != *",$word,"* ]] && _svc_add "$lead$word"
      done
      ;;
    f) _svc_files ;;
    d) compopt -o dirnames 2>/dev/null ;;
    @) [[ $typed == @* ]] && _svc_at "\${typed#@}" "$lead@" ;;
    \\?*)
      while IFS=$'\\t' read -r word last; do
        [[ $word == "$typed"* ]] || continue
        printf -v word %q "$word"
        _svc_add "$lead$word"
        docs[\${#docs[@]}]=$last
      done < <("\${words[0]}" __complete "\${code#?}" -- "\${words[@]:1}" 2>/dev/null </dev/null)
      _svc_describe
      ;;
    [+*]*)
      if [[ $code == \\** ]]; then
        last=\${typed##*,}
        lead=$lead\${typed%"$last"}
        typed=$last
      fi
      if [[ $typed == *=* ]]; then
        key=\${typed%%=*}
        _svc_value "$path" "$flag:$key" && _svc_offer "$reply" "\${typed#*=}" "$lead$key=" "$flag:$key"
      else
        compopt -o nospace 2>/dev/null
        for word in \${code#?}; do [[ $word == "$typed"* ]] && _svc_add "$lead$word="; done
      fi
      ;;
  esac
}

_svc() {
  local rest=\${COMP_LINE:0:COMP_POINT} reply='' path='' area='' pending='' flag='' args=0 open=1 i piece word
  local -a words
  words=()
  COMPREPLY=()
  # Readline also splits the line at =, @ and :. Join the parts that no space separates.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=\${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words[\${#words[@]}]=''
    fi
    ((i == COMP_CWORD)) && piece=$rest
    words[\${#words[@]}-1]=\${words[\${#words[@]}-1]}$piece
    rest=\${rest#"$piece"}
  done
  local count=\${#words[@]}
  local full=\${words[count-1]}
  local head=\${full%"$2"}
  for ((i = 1; i < count - 1; i++)); do
    word=\${words[i]}
    if ((open)) && [[ $word == -- ]]; then
      open=0
    elif ((open)) && [[ $word == -?* ]]; then
      [[ $word == *=* ]] && continue
      _svc_value "$path" "$word" || continue
      ((i + 1 == count - 1)) && pending=$word
      ((i++))
    elif [[ -z $area ]]; then
      _svc_alias "$word"
      area=$reply
      path=$area
    elif _svc_words "$area" && [[ -n $reply && $path == "$area" ]]; then
      _svc_alias "$area $word"
      path=$reply
    else
      ((args++))
    fi
  done
  if [[ -n $pending ]]; then
    _svc_value "$path" "$pending" && _svc_offer "$reply" "$full" '' "$pending"
  elif ((open)) && [[ $full == --*=* ]]; then
    flag=\${full%%=*}
    _svc_value "$path" "$flag" && _svc_offer "$reply" "\${full#*=}" "$flag=" "$flag"
  elif ((open)) && [[ $full == -* ]]; then
    _svc_flags "$path"
    for word in $reply; do
      [[ $word == !* && $full != --n* ]] && continue
      word=\${word#!}
      [[ $word == "$full"* ]] && _svc_add "$word"
    done
  elif [[ -z $area ]]; then
    _svc_words ''
    for word in $reply; do [[ $word == "$full"* ]] && _svc_add "$word"; done
  elif _svc_words "$area" && [[ -n $reply && $path == "$area" ]]; then
    for word in $reply; do [[ $word == "$full"* ]] && _svc_add "$word"; done
  elif _svc_argument "$path" "$args"; then
    _svc_offer "$reply" "$full" '' ''
  elif ((open)) && [[ -z $full ]]; then
    _svc_flags "$path"
    for word in $reply; do [[ $word == !* ]] || _svc_add "$word"; done
  fi
  return 0
}

complete -F _svc svc
`;
}
