/** Completion for fish, with descriptions. Static words start no process. */
import { casesOf, type Table, type Word } from './table.ts';

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Return a case that prints words with their descriptions. */
function list(names: readonly string[], words: readonly Word[], more = ''): string {
  const items = words.map(({ word, doc }) => `${quoted(word)} ${quoted(doc)}`);
  const print = items.length > 0 ? [`            printf '%s\\t%s\\n' ${items.join(' ')}`] : [];
  return [
    `        case ${names.map(quoted).join(' ')}`,
    ...print,
    ...(more ? [`            ${more}`] : []),
  ].join('\n');
}

function codes(rows: readonly (readonly [names: readonly string[], code: string])[]): string {
  return rows
    .map(([names, code]) => {
      const body = code === '' ? 'return 1' : `echo ${quoted(code)}; return 0`;
      return `        case ${names.map(quoted).join(' ')}\n            ${body}`;
    })
    .join('\n');
}

/** Return the script. `origin` is its first line. */
export function fishCompletion(table: Table, origin: string): string {
  const plain = (words: readonly Word[]) => words.filter(({ negated }) => !negated);
  const negated = (words: readonly Word[]) => words.filter((word) => word.negated);
  const { special, values, args } = casesOf(table);
  return `# ${origin}
# fish completion for svc: save it as "svc.fish" in ~/.config/fish/completions.

function __svc_words -d 'Words that can follow an area, or the start'
    switch $argv[1]
${table.groups.map(({ name, words }) => list([name], words)).join('\n')}
    end
end

function __svc_common
    printf '%s\\t%s\\n' ${plain(table.common)
      .map(({ word, doc }) => `${quoted(word)} ${quoted(doc)}`)
      .join(' ')}
end

function __svc_flags -d 'Flags of a command'
    switch $argv[1]
${table.paths.map((path) => list([path.path], plain(path.flags), path.common ? '__svc_common' : '')).join('\n')}
        case '*'
            __svc_common
    end
end

function __svc_negations -d 'The --no- forms of the flags of a command'
    switch $argv[1]
${table.paths
  .filter((path) => negated(path.flags).length > 0)
  .map((path) => list([path.path], negated(path.flags)))
  .join('\n')}
    end
end

function __svc_value -d 'Value code of a flag of a command'
    switch "$argv[1] $argv[2]"
${codes(special)}
    end
    switch $argv[2]
${codes(values)}
    end
    return 1
end

function __svc_argument -d 'Value code of an argument of a command'
    switch "$argv[1] $argv[2]"
${codes(args)}
    end
    return 1
end

function __svc_alias
    switch $argv[1]
${table.aliases.map(([alias, name]) => `        case ${quoted(alias)}\n            echo ${quoted(name)}`).join('\n')}
        case '*'
            echo $argv[1]
    end
end

function __svc_offer -a command code typed lead flag -d 'Offer values; lead precedes them in the same word'
    set -l kind (string sub -l 1 -- $code)
    set -l words (string split -n ' ' -- (string sub -s 2 -- $code))
    if contains -- $kind , '*'
        set -l done (string match -r '^.*,' -- $typed)
        set lead "$lead$done"
        set typed (string replace -r '^.*,' '' -- $typed)
    end
    # Not a switch statement: some of these characters are wildcards there.
    if contains -- $kind = ,
        printf '%s\\n' $lead$words
    else if test "$kind" = f
        __svc_paths "$typed" "$lead"
    else if test "$kind" = d
        __svc_paths "$typed" "$lead" | string match -r '.*/(?:\\t.*)?$'
    else if test "$kind" = @
        if string match -q '@*' -- $typed
            __svc_paths (string sub -s 2 -- $typed) "$lead@"
        end
    else if test "$kind" = '?'
        for line in ($__svc_typed[1] __complete $words -- $__svc_typed[2..-1] 2>/dev/null </dev/null)
            echo $lead$line
        end
    else if contains -- $kind + '*'
        if string match -q '*=*' -- $typed
            set -l pair (string split -m 1 = -- $typed)
            set -l inner (__svc_value "$command" "$flag:$pair[1]")
            and __svc_offer "$command" $inner "$pair[2]" "$lead$pair[1]=" "$flag:$pair[1]"
        else
            printf '%s=\\n' $lead$words
        end
    end
end

function __svc_paths -a typed lead -d 'Files, completed by fish'
    for path in (__fish_complete_path "$typed")
        echo $lead$path
    end
end

function __svc_complete
    set -g __svc_typed (commandline -opc) (commandline -ct)
    set -l current $__svc_typed[-1]
    set -l command ''
    set -l area ''
    set -l pending ''
    set -l args 0
    set -l open 1
    set -l i 2
    while test $i -lt (count $__svc_typed)
        set -l word $__svc_typed[$i]
        if test $open = 1; and contains -- "$word" --
            set open 0
        else if test $open = 1; and string match -qr -- '^-.' $word
            if not string match -q -- '*=*' $word; and __svc_value "$command" "$word" >/dev/null
                test (math $i + 1) = (count $__svc_typed); and set pending $word
                set i (math $i + 1)
            end
        else if test -z "$area"
            set area (__svc_alias $word)
            set command $area
        else if test "$command" = "$area"; and test -n "$(__svc_words $area)"
            set command (__svc_alias "$area $word")
        else
            set args (math $args + 1)
        end
        set i (math $i + 1)
    end
    if test -n "$pending"
        set -l code (__svc_value "$command" $pending)
        and __svc_offer "$command" $code "$current" '' $pending
    else if test $open = 1; and string match -q -- '--*=*' $current
        set -l pair (string split -m 1 = -- $current)
        set -l code (__svc_value "$command" $pair[1])
        and __svc_offer "$command" $code "$pair[2]" "$pair[1]=" $pair[1]
    else if test $open = 1; and string match -q -- '-*' $current
        __svc_flags "$command"
        string match -q -- '--n*' $current; and __svc_negations "$command"
    else if test -z "$area"
        __svc_words ''
    else if test "$command" = "$area"; and test -n "$(__svc_words $area)"
        __svc_words $area
    else if set -l code (__svc_argument "$command" $args)
        __svc_offer "$command" $code "$current" '' ''
    else if test $open = 1
        __svc_flags "$command"
    end
    set -e __svc_typed
end

complete -c svc -e
complete -c svc -f -k -a '(__svc_complete)'
`;
}
