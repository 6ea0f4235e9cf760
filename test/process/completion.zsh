# zsh -f completion.zsh SCRIPT OUT LINE...
# Completes each line in an interactive zsh in a pseudo-terminal. Writes the offered words and the resulting line to OUT.
# A second zsh reads what the first has found in a thousand files from zcompdump in the folder of SCRIPT.
zmodload zsh/zpty || exit 77
script=$1 out=$2
shift 2
say() { zpty -w z "$1" }
wait_for() {
  local part all=''
  while zpty -r z part; do
    all+=$part
    [[ $all == *$1* ]] && return
  done
}
zpty z zsh -f -i
say "PS1= PS2= RPS1=; stty -echo; autoload -Uz compinit; compinit -u -C -d ${(q)script:h}/zcompdump; source ${(q)script}; bindkey '^I' complete-word; setopt no_beep no_auto_menu"
# Record the matching words of each compadd call and their descriptions, except calls that only query.
say "compadd() { local -a __o; local __a; for __a in \"\$@\"; do [[ \$__a == -- ]] && break; [[ \$__a == -[OAD]* ]] && { builtin compadd \"\$@\"; return; }; done; builtin compadd -O __o \"\$@\"; local __i=\${@[(i)-*d]}; ((__i < \$# && __i < \${@[(i)--]})) && print -rl -- \"SHOWN \${(@)^\${(P)\${@[__i+1]}}}\" >> ${(q)out}; ((\$#__o)) && print -rl -- \"\$IPREFIX\${(@)^__o}\" >> ${(q)out}; builtin compadd \"\$@\" }"
say "end-line() { print -r -- \"BUFFER \$BUFFER\" >> ${(q)out}; BUFFER=''; zle -I; print -r -- LINE''DONE }; zle -N end-line; bindkey '^T' end-line; print -r READY''NOW"
wait_for READYNOW
for line in "$@"; do
  print -r -- "LINE $line" >> $out
  zpty -n -w z "$line"$'\t\x14'
  wait_for LINEDONE
done
zpty -d z
