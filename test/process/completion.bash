# bash completion.bash SCRIPT LINE...: completes each line like readline and prints the offered words.
source "$1"
shift
compopt() { printf 'compopt %s\n' "$*"; }

# Split like readline with the default COMP_WORDBREAKS.
complete_line() {
  local rest=$1 word
  COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=()
  while [[ -n $rest ]]; do
    if [[ $rest =~ ^[[:space:]]+ ]]; then
      rest=${rest:${#BASH_REMATCH[0]}}
      [[ -n $rest ]] || COMP_WORDS+=('')
    elif [[ $rest =~ ^[=@:]+ || $rest =~ ^[^[:space:]=@:]+ ]]; then
      COMP_WORDS+=("${BASH_REMATCH[0]}")
      rest=${rest:${#BASH_REMATCH[0]}}
    fi
  done
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  # An @ also separates words, but belongs to the word after it.
  word=${1##*[[:space:]=:]}
  "$(complete -p svc | sed 's/.*-F \([^ ]*\).*/\1/')" svc "$word" ''
  ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
}

for line; do
  printf 'LINE %s\n' "$line"
  complete_line "$line"
done
