# Printed by svc completion bash
# bash completion for svc: source this file, or save it as "svc" in a folder of bash-completion.

# Set plain to a word without its quotes and backslashes, and quote to the quote that is open at its end.
_svc_unquote() {
  local rest=$1 char
  plain='' quote=''
  while [[ -n $rest ]]; do
    char=${rest:0:1} rest=${rest:1}
    if [[ $char == \\ && $quote != "'" ]]; then
      plain=$plain${rest:0:1} rest=${rest:1}
    elif [[ $char == "$quote" ]]; then
      quote=''
    elif [[ -z $quote && $char == [\'\"] ]]; then
      quote=$char
    else
      plain=$plain$char
    fi
  done
}

_svc() {
  local rest=${COMP_LINE:0:COMP_POINT} kind lead value doc piece full head plain quote i width=0
  local -a words docs
  words=() docs=() COMPREPLY=()
  # Within quotes, names that could end them or expand are left out.
  local unsafe="*[[:cntrl:]'\"\\\\\$\`!]*"
  # Readline also splits the line at =, @ and :. Join the parts that no space separates.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      words[${#words[@]}]=''
    fi
    ((i == COMP_CWORD)) && piece=$rest
    words[${#words[@]}-1]=${words[${#words[@]}-1]}$piece
    rest=${rest#"$piece"}
  done
  _svc_unquote "$2"
  head=$plain
  for i in "${!words[@]}"; do
    _svc_unquote "${words[i]}"
    words[i]=$plain
  done
  full=$plain
  head=${full%"$head"}
  {
    IFS=$'\t' read -r kind lead
    while IFS=$'\t' read -r value doc; do
      # Everything that the shell would not read as plain text is quoted: the names come from the service.
      if [[ $value == *[!A-Za-z0-9_./:=,@%+-]* ]]; then
        [[ -n $quote && $value == $unsafe ]] && continue
        [[ -n $quote ]] || printf -v value %q "$value"
      fi
      value=$lead$value
      COMPREPLY[${#COMPREPLY[@]}]=${value#"$head"}
      docs[${#docs[@]}]=$doc
    done
  } < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null </dev/null)
  case $kind in
    folders) compopt -o dirnames 2>/dev/null ;;
    files)
      [[ $lead == "$head" ]] && compopt -o default 2>/dev/null && return
      for value in "${full#"$lead"}"*; do
        [[ -e $value ]] || continue
        [[ -n $quote && $value == $unsafe ]] && continue
        [[ -d $value ]] && value=$value/ && compopt -o nospace 2>/dev/null
        [[ -n $quote ]] || printf -v value %q "$value"
        value=$lead$value
        COMPREPLY[${#COMPREPLY[@]}]=${value#"$head"}
      done
      ;;
    values)
      compopt -o nosort 2>/dev/null
      [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
      # Descriptions are appended only where readline lists the words, and inserts no more than their common beginning.
      ((${#COMPREPLY[@]} > 1)) && [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 ]] || return 0
      for value in "${COMPREPLY[@]}"; do ((${#value} > width)) && width=${#value}; done
      for i in "${!docs[@]}"; do
        [[ -n ${docs[i]} ]] && printf -v 'COMPREPLY[i]' '%-*s  %s' "$width" "${COMPREPLY[i]}" "${docs[i]}"
      done
      ;;
  esac
  return 0
}

complete -F _svc svc
