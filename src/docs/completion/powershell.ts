/** Completion for PowerShell 5.1 and 7, with descriptions. Static words start no process. */
import type { Table, Word } from './table.ts';

/** PowerShell reads four more characters as single quotes. */
const quoted = (text: string) => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

/** Return a case-sensitive hash table. */
function lookup(name: string, rows: readonly (readonly [key: string, value: string])[]): string {
  const lines = rows.map(([key, value]) => `$script:svc${name}[${quoted(key)}] = ${value}`);
  return [
    `$script:svc${name} = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)`,
    ...lines,
  ].join('\n');
}

function words(list: readonly Word[]): string {
  return `@(${list.flatMap(({ word, doc }) => [quoted(word), quoted(doc)]).join(', ')})`;
}

/** Return the script. `origin` is its first line. */
export function powershellCompletion(table: Table, origin: string): string {
  const parts = [
    lookup(
      'Words',
      table.groups.map((group) => [group.name, words(group.words)] as const),
    ),
    `$script:svcCommon = ${words(table.common)}`,
    lookup(
      'Flags',
      table.paths.map(
        (path) => [path.path, `${words(path.flags)}${path.common ? ' + $script:svcCommon' : ''}`] as const,
      ),
    ),
    lookup(
      'Special',
      table.special.map(([path, flag, code]) => [`${path} ${flag}`, quoted(code)] as const),
    ),
    lookup(
      'Values',
      table.values.map(([flag, code]) => [flag, quoted(code)] as const),
    ),
    lookup(
      'Arguments',
      table.paths.flatMap(({ path, args }) =>
        args.map((code, at) => [`${path} ${at}`, quoted(code)] as const),
      ),
    ),
    lookup(
      'Aliases',
      table.aliases.map(([alias, name]) => [alias, quoted(name)] as const),
    ),
  ];
  return `# ${origin}
# PowerShell completion for svc: put ". <path of this file>" into your $PROFILE.

${parts.join('\n')}

# Return the value code of a flag of a command; empty if the flag has no value.
function script:Get-SvcValue([string] $command, [string] $flag) {
  $key = "$command $flag"
  if ($script:svcSpecial.ContainsKey($key)) { return $script:svcSpecial[$key] }
  if ($script:svcValues.ContainsKey($flag)) { return $script:svcValues[$flag] }
  return ''
}

# Return pairs of a value and its description for values that start with $typed. $lead precedes $typed in the same word.
function script:Get-SvcOffer([string] $command, [string] $code, [string] $typed, [string] $lead, [string] $flag, [string[]] $line) {
  $kind = $code.Substring(0, 1)
  $list = @($code.Substring(1) -split ' ' | Where-Object { $_ })
  if ($kind -eq ',' -or $kind -eq '*') {
    $at = $typed.LastIndexOf(',') + 1
    $lead += $typed.Substring(0, $at)
    $typed = $typed.Substring($at)
  }
  switch -CaseSensitive ($kind) {
    { $_ -eq '=' -or $_ -eq ',' } { foreach ($word in $list) { "$lead$word"; $word } }
    { $_ -eq 'f' -or $_ -eq 'd' -or $_ -eq '@' } {
      if ($kind -eq '@') {
        if (-not $typed.StartsWith('@')) { break }
        $lead += '@'
        $typed = $typed.Substring(1)
      }
      foreach ($match in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
        if ($kind -eq 'd' -and $match.ResultType -ne 'ProviderContainer') { continue }
        $path = $match.CompletionText
        if ($path -match "^'(.*)'$") { $path = $Matches[1] -replace "''", "'" }
        if (-not $typed.StartsWith('.')) { $path = $path -replace '^\\.[\\\\/]', '' }
        "$lead$path"
        $match.ToolTip
      }
    }
    '?' {
      try {
        $rest = @($line | Select-Object -Skip 1)
        foreach ($found in @(& $line[0] __complete $list[0] -- @rest 2>$null)) {
          $pair = $found -split "\`t", 2
          "$lead$($pair[0])"
          if ($pair.Count -gt 1 -and $pair[1]) { $pair[1] } else { $pair[0] }
        }
      } catch { }
    }
    { $_ -eq '+' -or $_ -eq '*' } {
      $at = $typed.IndexOf('=')
      if ($at -lt 0) {
        foreach ($word in $list) { "$lead$word="; $word }
      } else {
        $key = $typed.Substring(0, $at)
        $inner = Get-SvcValue $command "\${flag}:$key"
        if ($inner) { Get-SvcOffer $command $inner $typed.Substring($at + 1) "$lead$key=" "\${flag}:$key" $line }
      }
    }
  }
}

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param([string] $current, $ast, [int] $cursor)
  $line = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  if ($current -eq '' -or $line.Count -eq 0 -or $line[-1] -ne $current) { $line += $current }
  $command = ''
  $area = ''
  $pending = ''
  $arguments = 0
  $open = $true
  for ($i = 1; $i -lt $line.Count - 1; $i++) {
    $word = $line[$i]
    if ($open -and $word -ceq '--') {
      $open = $false
    } elseif ($open -and $word.Length -gt 1 -and $word.StartsWith('-')) {
      if ($word.Contains('=') -or -not (Get-SvcValue $command $word)) { continue }
      if ($i + 1 -eq $line.Count - 1) { $pending = $word }
      $i++
    } elseif (-not $area) {
      $area = if ($script:svcAliases.ContainsKey($word)) { $script:svcAliases[$word] } else { $word }
      $command = $area
    } elseif ($command -ceq $area -and $script:svcWords.ContainsKey($area)) {
      $command = "$area $word"
      if ($script:svcAliases.ContainsKey($command)) { $command = $script:svcAliases[$command] }
    } else {
      $arguments++
    }
  }
  $flags = if ($script:svcFlags.ContainsKey($command)) { $script:svcFlags[$command] } else { $script:svcCommon }
  $pairs = @()
  if ($pending) {
    $pairs = @(Get-SvcOffer $command (Get-SvcValue $command $pending) $current '' $pending $line)
  } elseif ($open -and $current.StartsWith('--') -and $current.Contains('=')) {
    $at = $current.IndexOf('=')
    $flag = $current.Substring(0, $at)
    $code = Get-SvcValue $command $flag
    if ($code) { $pairs = @(Get-SvcOffer $command $code $current.Substring($at + 1) "$flag=" $flag $line) }
  } elseif ($open -and $current.StartsWith('-')) {
    $pairs = $flags
  } elseif (-not $area) {
    $pairs = $script:svcWords['']
  } elseif ($command -ceq $area -and $script:svcWords.ContainsKey($area)) {
    $pairs = $script:svcWords[$area]
  } elseif ($script:svcArguments.ContainsKey("$command $arguments")) {
    $pairs = @(Get-SvcOffer $command $script:svcArguments["$command $arguments"] $current '' '' $line)
  } elseif ($open) {
    $pairs = $flags
  }
  for ($i = 0; $i + 1 -lt $pairs.Count; $i += 2) {
    $text = [string] $pairs[$i]
    if ($text.StartsWith($current, [StringComparison]::Ordinal)) {
      # Quote everything that PowerShell would not read as plain text: the names come from the service.
      $shown = if ($text -cmatch '^[\\w./\\\\:=+,-]+$') { $text } else { "'" + ($text -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
      [System.Management.Automation.CompletionResult]::new($shown, $text, 'ParameterValue', [string] $pairs[$i + 1])
    }
  }
}
`;
}
