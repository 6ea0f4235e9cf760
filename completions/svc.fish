# Printed by svc completion fish
# fish completion for svc: save it as "svc.fish" in ~/.config/fish/completions.

function __svc_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # A quote that is still open cannot be unescaped.
    set -l current (string unescape -- "$typed"; or string trim -l -c '\'"' -- "$typed")
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null </dev/null)
    set -l head (string split -m 1 \t -- $lines[1])
    set -l lead "$head[2]"
    switch "$head[1]"
        case values
            for line in $lines[2..-1]
                echo -- $lead$line
            end
        case files folders
            for path in (__fish_complete_path (string sub -s (math (string length -- "$lead") + 1) -- "$current"))
                if test "$head[1]" = files; or string match -qr -- '/(\t|$)' $path
                    echo -- $lead$path
                end
            end
    end
end

complete -c svc -e
complete -c svc -f -k -a '(__svc_complete)'
